#include "compute/exec/cpu.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/light_tiles_cpu.h"
#include "compute/splotch/make_splats_cpu.h"
#include "compute/splotch/map_tiles_cpu.h"
#include "compute/splotch/renderer.inl"
#include "compute/splotch/samples.inl"
#include "compute/splotch/sort_by_level.h"
#include "core/array.h"

#include <tbb/global_control.h>

#include <memory>

namespace haloscope::compute::splotch {

namespace {

// Particles on the CPU executor: always whole, drawn in batches, so that the splats of a billion
// particles need no more memory than those of two million.
class CpuStore {
 public:
  CpuStore(Cpu& exec, const Domain& domain, const std::vector<TypeInput>& inputs,
           Progress& progress)
      : exec_(exec) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      progress.report("sort", double(k) / double(inputs.size()));
      types.emplace_back(std::make_shared<Cpu>(), Device::cpu(), inputs[k], domain);
    }
  }

  void recolor(const std::vector<const float*>& values) {
    // First, so that no sample with former colors is left where a type's values do not fit.
    samples_.forget();
    for (std::size_t k = 0; k < types.size(); ++k)
      types[k].recolor(exec_, values.empty() ? nullptr : values[k]);
  }

  void label(const std::vector<const std::uint8_t*>& labels) {
    samples_.forget();
    label_types(exec_, types, labels);
  }

  std::size_t type_count() const { return types.size(); }
  static constexpr bool whole() { return true; }
  static constexpr std::uint64_t paper_chunk() { return 1u << 24; }

  // Samples are first made when one is asked for: only a moving camera does.
  int usable_sample(int n, Timings& timings) {
    if (n == 1 || !samples_.empty() || !has_host_memory(sample_bytes())) return n;
    TimedRange timer(timings, "sample");
    for (const int kept : kept_samples(particle_count())) samples_.keep(exec_, all_columns(), kept);
    return n;
  }

  std::vector<int> motion_samples() const {
    const auto kept = kept_samples(particle_count());
    return samples_for_motion(particle_count(), {kept.begin(), kept.end()});
  }

  static std::shared_ptr<const DeviceImage> keep_on_device(const float*, const std::vector<float>&,
                                                           int, int) {
    return nullptr;
  }

  template <class F>
  void for_each_chunk(int sample, const F& f) {
    const auto* const kept = samples_.find(sample);
    if (sample > 1 && !(kept && kept->n == sample)) {
      samples_.cut(exec_, all_columns(), sample, kBatch,
                   [&](const Columns& columns, std::size_t type, double done) {
                     f(std::vector<Layer>{{columns, {}}}, std::vector<std::size_t>{type}, done);
                   });
      return;
    }
    std::vector<Layer> layers;
    std::vector<std::size_t> indices;
    for (const Columns& columns : kept ? kept->columns() : all_columns()) {
      indices.push_back(layers.size());
      layers.push_back({columns, {}});
    }
    f(std::move(layers), indices, 0.);
  }

  template <Mode M>
  void draw_auto(Cpu& exec, const std::vector<Layer>& layers, const std::vector<std::size_t>&,
                 const Projector<Real<M>>& projector, const Options&, float* image,
                 std::vector<float>&, Levels<Cpu>* levels, Counts& counts, Timings& timings,
                 LaterTimes&) const {
    draw_batches<M>(layers, projector, levels, counts, timings,
                    [&](const Splat* splats, const LevelParts& parts) {
                      splat_on_cpu<M>(exec, splats, parts.count(0), projector.width,
                                      projector.height, image);
                      if (levels) draw_on_levels<M>(exec, splats, parts, *levels);
                    });
  }

  void add_light_peaks(const Layer& layer, const Projector<float>& projector,
                       AllLightPeaks& peaks) const {
    Counts counts;
    Timings timings;
    draw_batches<Mode::Default>({layer}, projector, nullptr, counts, timings,
                                [&](const Splat* splats, const LevelParts& parts) {
                                  peaks.add(peaks_of(splats, parts.count(0)));
                                });
  }

  void draw_light(const std::vector<Layer>& layers, const Projector<float>& projector,
                  const LightTarget& target, Counts& counts, Timings& timings) const {
    draw_batches<Mode::Default>(layers, projector, nullptr, counts, timings,
                                [&](const Splat* splats, const LevelParts& parts) {
                                  add_to_light(exec_, splats, parts.count(0), target);
                                });
  }

  void draw_map(const Layer& layer, const Projector<float>& projector, const MapTarget& target,
                Counts& counts, Timings& timings) const {
    draw_batches<Mode::Map>({layer}, projector, nullptr, counts, timings,
                            [&](const Splat* splats, const LevelParts& parts) {
                              add_to_map(exec_, splats, parts.count(0), target);
                            });
  }

  std::vector<StoredType<Cpu>> types;

 private:
  template <Mode M>
  static void draw_on_levels(Cpu& exec, const Splat* splats, const LevelParts& parts,
                             Levels<Cpu>& levels) {
    std::vector<int> used;
    std::vector<Cells> cells;
    for (int k = 1; k <= levels.coarsest(); ++k) {
      if (parts.count(k) == 0) continue;
      levels.touch(k, parts.boxes[std::size_t(k)]);
      used.push_back(k);
      cells.push_back(levels.level(k));
    }
    // All at once: a coarse level has fewer tiles than there are threads.
    ::tbb::parallel_for(std::size_t(0), used.size(), [&](std::size_t n) {
      splat_on_cpu<M>(exec, splats + parts.begin(used[n]), parts.count(used[n]), cells[n].width,
                      cells[n].height, cells[n].rgba);
    });
  }

  // Calls draw(splats, where those of each level are) for one batch after the other; without levels
  // all are the picture's.
  template <Mode M, class Draw>
  void draw_batches(const std::vector<Layer>& layers, const Projector<Real<M>>& projector,
                    const Levels<Cpu>* levels, Counts& counts, Timings& timings,
                    const Draw& draw) const {
    double project_ms = 0, splat_ms = 0;
    SplatTally tally;
    for (const auto& layer : layers)
      for (std::size_t first = 0; first < layer.columns.count; first += kBatch) {
        Timings batch;
        LevelParts parts;
        const Splat* splats = nullptr;
        {
          TimedRange timer(batch, "project");
          const std::size_t last = std::min<std::size_t>(first + kBatch, layer.columns.count);
          splats = make_batch<M>(projector, layer, first, last, levels, parts, tally);
        }
        {
          TimedRange timer(batch, "medium");
          draw(splats, parts);
        }
        project_ms += batch.median("project");
        splat_ms += batch.median("medium");
      }
    timings.add("project", project_ms);
    timings.add("medium", splat_ms);
    add_to_counts(counts, tally);
    counts.large_on_cpu += tally.by_class[std::size_t(Class::Large)];
  }

  std::vector<Columns> all_columns() const {
    std::vector<Columns> out;
    for (const auto& type : types) out.push_back(type.columns());
    return out;
  }

  std::uint64_t sample_bytes() const {
    std::uint64_t bytes = 0;
    for (const Columns& c : all_columns())
      for (const int n : kept_samples(particle_count()))
        bytes += words_of(c, sample_size(c.count, n)) * 4;
    return bytes;
  }
  std::uint64_t particle_count() const {
    std::uint64_t count = 0;
    for (const auto& type : types) count += type.columns().count;
    return count;
  }

  static constexpr std::size_t kBatch = 1u << 21;
  static constexpr std::size_t kBlock = 1u << 14;

  // Splats of particles [first, last) in a buffer that the next batch overwrites.
  template <Mode M>
  const Splat* make_batch(const Projector<Real<M>>& projector, const Layer& layer,
                          std::size_t first, std::size_t last, const Levels<Cpu>* levels,
                          LevelParts& parts, SplatTally& tally) const {
    struct Block {
      std::size_t made = 0;
      SplatTally tally;
    };
    const std::size_t blocks = (last - first + kBlock - 1) / kBlock;
    std::vector<Block> results(blocks);
    // Kept between batches and frames: fresh memory costs more in page faults than the splats do.
    if (sparse_.size() < kBatch) sparse_ = Array<Splat>(kBatch);
    Splat* const sparse = sparse_.data();
    ::tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t b) {
      const std::size_t begin = first + b * kBlock;
      Block& r = results[b];
      r.made = make_splats_on_cpu<M>(projector, layer, kLargeRadius, begin,
                                     std::min(begin + kBlock, last), sparse + b * kBlock, r.tally);
    });
    std::vector<std::size_t> starts(blocks + 1, 0);
    SplatTally batch;
    for (std::size_t b = 0; b < blocks; ++b) {
      starts[b + 1] = starts[b] + results[b].made;
      batch += results[b].tally;
    }
    tally += batch;
    parts.ends.fill(starts[blocks]);
    // Once some splats are there, more cost no more adding.
    const bool by_level = levels && batch.wide > 0 &&
                          (levels->any() || worth_levels(batch.wide, batch.wide_updates,
                                                         projector.width, projector.height));
    if (!by_level && starts[blocks] == last - first) return sparse;
    if (dense_.size() < kBatch) dense_ = Array<Splat>(kBatch);
    if (by_level) {
      std::vector<SplatBlock> made;
      for (std::size_t b = 0; b < blocks; ++b)
        made.push_back({sparse + b * kBlock, results[b].made, results[b].tally.wide});
      parts =
          sort_by_level(made, projector.width, projector.height, levels->coarsest(), dense_.data());
      return dense_.data();
    }
    ::tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t b) {
      std::copy_n(sparse + b * kBlock, results[b].made, dense_.data() + starts[b]);
    });
    return dense_.data();
  }

  Cpu& exec_;
  Samples<Cpu> samples_;
  mutable Array<Splat> sparse_, dense_;
};

class CpuRenderer final : public Renderer {
 public:
  explicit CpuRenderer(Ranks* ranks) : ranks_(ranks, Device::cpu()) {}

  void set_particles(const Domain& domain, const std::vector<TypeInput>& types,
                     Progress& progress) override {
    exec_.keep_freed_memory(false);
    store_.reset();
    domain_ = domain;
    store_ = std::make_unique<CpuStore>(exec_, domain, types, progress);
  }

  void recolor(const std::vector<const float*>& values) override { store_->recolor(values); }
  void label(const std::vector<const std::uint8_t*>& labels) override { store_->label(labels); }

  Frame render(const View& view, const std::vector<Appearance>& appearances, const Options& options,
               Progress& progress) override {
    // Of the picture and its lists, for the next one; large ones are seldom followed by more.
    constexpr std::size_t kMostKept = std::size_t(1) << 29;
    exec_.keep_freed_memory(true);
    Frame frame = draw(view, appearances, options, progress);
    if (exec_.kept_memory() > kMostKept) exec_.keep_freed_memory(false);
    return frame;
  }

  std::string device_name() const override { return "cpu"; }
  std::uint64_t peak_device_memory() const override { return 0; }
  std::vector<std::uint64_t> estimated_radii() const override {
    std::vector<std::uint64_t> out;
    for (const auto& t : store_->types) out.push_back(t.estimated_radii());
    return out;
  }
  std::vector<float> radius_sample(std::size_t type, std::size_t at_most) const override {
    Cpu exec;
    return store_->types[type].radius_sample(exec, at_most);
  }
  std::vector<float> radii(std::size_t type) const override {
    Cpu exec;
    return store_->types[type].radii_in_file_order(exec);
  }
  std::shared_ptr<const spatial::PointSet> points(std::size_t type) const override {
    return store_->types[type].points();
  }

 private:
  Frame draw(const View& view, const std::vector<Appearance>& appearances, const Options& options,
             Progress& progress) {
    switch (options.mode) {
      case Mode::Classic:
        return render_frame<Mode::Classic>(exec_, *store_, view, domain_, appearances, options,
                                           progress, ranks_);
      case Mode::Map:
        return render_frame<Mode::Map>(exec_, *store_, view, domain_, appearances, options,
                                       progress, ranks_);
      case Mode::Default:
        return render_frame<Mode::Default>(exec_, *store_, view, domain_, appearances, options,
                                           progress, ranks_);
    }
    throw Error("unknown mode", "renderer");
  }

  const DrawingRanks ranks_;
  Cpu exec_;
  Domain domain_;
  std::unique_ptr<CpuStore> store_;
};

}  // namespace

std::unique_ptr<Renderer> make_cpu_renderer(Ranks* ranks) {
  return std::make_unique<CpuRenderer>(ranks);
}

}  // namespace haloscope::compute::splotch
