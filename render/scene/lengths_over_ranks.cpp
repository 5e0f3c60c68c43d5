#include "render/scene/lengths_over_ranks.h"

#include "analysis/snapshot/places_of_ranks.h"
#include "compute/distributed/sample_along_curve.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/part_of_rows.h"
#include "compute/splotch/radius_sample.h"
#include "render/scene/scene_looks.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

namespace haloscope::render {

namespace {

namespace splotch = compute::splotch;

class RankedLengths {
 public:
  RankedLengths(compute::Ranks& ranks, const SnapshotInfo& info, const ParticleSet& own,
                const std::vector<TypeLook>& looks, std::uint64_t gpu_memory_bytes,
                Progress& progress)
      : ranks_(ranks),
        info_(info),
        own_(own),
        looks_(looks),
        gpu_memory_bytes_(gpu_memory_bytes),
        progress_(progress) {
    for (const auto& columns : own.types) rows_.emplace_back(ranks, columns.count);
  }

  LengthsOverRanks find(const analysis::LengthsChoice& choice, double extent) {
    LengthsOverRanks made;
    made.found = analysis::SmoothingLengths(choice);
    made.found.find(info_, own_, progress_);
    for (std::size_t k = 0; k < rows_.size(); ++k)
      needs_all_.push_back(needs_all(k, made.found.of(k)));
    const ParticleSet all = analysis::places_of_ranks(ranks_, own_, needs_all_, progress_);
    std::vector<std::vector<float>> found_by_all(rows_.size());
    std::vector<const float*> found(rows_.size(), nullptr);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!needs_all_[k]) continue;
      const Array<float>& own = made.found.of(k);
      found_by_all[k] = ranks_.all_gather<float>(std::span(own.data(), own.size()));
      if (!found_by_all[k].empty()) found[k] = found_by_all[k].data();
    }
    const auto renderer = splotch::make_renderer(choice.device, gpu_memory_bytes_);
    const DrawnRadii drawn = drawn_radii(info_, all, found, extent, *renderer, progress_);
    made.drawn.estimated = drawn.estimated;
    made.drawn.capped.resize(rows_.size());
    made.drawn.radii.resize(rows_.size());
    made.sample.resize(rows_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (needs_all_[k])
        take_own(all, k, drawn.radii[k], *renderer, made);
      else
        take_found(k, extent, made);
    return made;
  }

 private:
  bool by_density(std::size_t k) const { return looks_[k].color == kLocalDensity; }

  // Whether a rank cannot do with its own particles. `found`: lengths that the file lacks.
  bool needs_all(std::size_t k, const Array<float>& found) const {
    const Array<float>& radii = found.empty() ? own_.types[k].support_radius : found;
    const auto missing =
        std::uint64_t(std::count_if(radii.begin(), radii.end(), [](float h) { return !(h > 0); }));
    return ranks_.sum(int(!radii.empty())) == 0 || ranks_.sum(missing) > 0;
  }

  // What Renderer::radius_sample() takes of all radii, of which this rank has its own.
  std::vector<float> sample_of(std::size_t k, const float* radii) const {
    constexpr std::uint64_t kBytesOfPoint = 30;
    require_host_memory(compute::ranks_of_this_machine(ranks_) * rows_[k].count() * kBytesOfPoint,
                        "a sample of the smoothing lengths");
    const auto& position = own_.types[k].position;
    return compute::distributed::sample_along_curve(
        ranks_, {{position[0].data(), position[1].data(), position[2].data()}, rows_[k].count()},
        radii, splotch::radius_stride(rows_[k].total(), kDensitySample));
  }

  // Lengths that this rank has of its particles, the file's or found.
  void take_found(std::size_t k, double extent, LengthsOverRanks& made) const {
    const Array<float>& found = made.found.of(k);
    const float* radii = own_.types[k].support_radius.data();
    if (!analysis::has_lengths(ranks_, own_.types[k])) {
      auto& capped = made.drawn.capped[k];
      capped = cap_found(info_, own_.types[k].type, std::span(found.data(), found.size()), extent,
                         ranks_);
      radii = made.drawn.radii[k] = capped.empty() ? found.data() : capped.data();
    }
    if (by_density(k)) made.sample[k] = sample_of(k, radii);
  }

  // `radii`: of all particles, or null.
  void take_own(const ParticleSet& all, std::size_t k, const float* radii,
                splotch::Renderer& renderer, LengthsOverRanks& made) const {
    const ParticleColumns& whole = all.types[k];
    splotch::TypeInput input;
    input.count = whole.count;
    for (std::size_t axis = 0; axis < 3; ++axis) input.position[axis] = whole.position[axis].data();
    input.radius = radii ? radii : whole.support_radius.data();
    const bool complete = input.radius && std::all_of(input.radius, input.radius + input.count,
                                                      [](float h) { return h > 0; });
    std::vector<float> estimated;
    if (!complete || by_density(k)) {
      renderer.set_particles(all.domain, {input}, progress_);
      made.drawn.estimated[k] += renderer.estimated_radii().front();
      if (by_density(k)) made.sample[k] = renderer.radius_sample(0, kDensitySample);
      if (!complete) {
        estimated = renderer.radii(0);
        input.radius = estimated.data();
      }
    }
    made.drawn.capped[k] = rows_[k].own(input.radius);
    made.drawn.radii[k] = made.drawn.capped[k].data();
  }

  compute::Ranks& ranks_;
  const SnapshotInfo& info_;
  const ParticleSet& own_;
  const std::vector<TypeLook>& looks_;
  std::uint64_t gpu_memory_bytes_;
  Progress& progress_;
  std::vector<compute::PartOfRows> rows_;
  std::vector<bool> needs_all_;
};

}  // namespace

LengthsOverRanks lengths_over_ranks(compute::Ranks& ranks, const SnapshotInfo& info,
                                    const ParticleSet& own, const std::vector<TypeLook>& looks,
                                    analysis::LengthsChoice choice, std::uint64_t gpu_memory_bytes,
                                    double extent, Progress& progress) {
  choice.ranks = &ranks;
  return RankedLengths(ranks, info, own, looks, gpu_memory_bytes, progress).find(choice, extent);
}

}  // namespace haloscope::render
