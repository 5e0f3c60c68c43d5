#include "render/scene/loaded_particles.h"

#include "compute/exec/part_of_rows.h"
#include "render/scene/prepare_particles.h"

#include <algorithm>
#include <utility>

namespace haloscope::render {

LoadedParticles::LoadedParticles(ParticleSet particles, const std::string& mean_field,
                                 compute::Ranks& ranks)
    : particles_(std::move(particles)) {
  clean_columns(particles_);
  if (!mean_field.empty()) leave_out_undefined(particles_, mean_field, ranks);
  mass_ = total_mass(particles_, ranks);
  for (const auto& columns : particles_.types) {
    types_.push_back(columns.type);
    names_.push_back(columns.name);
    counts_.push_back(ranks.sum(columns.count));
    rejected_rows_.push_back(columns.rejected_rows);
    own_counts_.push_back(columns.count);
    const compute::PartOfRows read(ranks, columns.count + columns.rejected_rows.size());
    const compute::PartOfRows kept(ranks, columns.count);
    own_rows_.push_back({read.first(), read.total(), kept.first(), kept.total()});
  }
  estimated_.resize(types_.size());
}

void LoadedParticles::find_lengths(const SnapshotInfo& info, const analysis::LengthsChoice& choice,
                                   Progress& progress) {
  lengths_ = analysis::SmoothingLengths(choice);
  lengths_.find(info, particles_, progress);
}

std::vector<const float*> LoadedParticles::found_lengths() const {
  std::vector<const float*> found;
  for (std::size_t k = 0; k < types_.size(); ++k) found.push_back(lengths_.of(k).data());
  return found;
}

void LoadedParticles::count_colors(const RendererInput& made,
                                   const compute::splotch::Renderer& renderer,
                                   compute::Ranks& ranks) {
  using analysis::FieldHistograms;
  histograms_.assign(made.inputs.size(), {});
  for (std::size_t k = 0; k < made.inputs.size(); ++k) {
    const compute::splotch::TypeInput& input = made.inputs[k];
    // A rank may have none of the particles.
    const bool by_density = ranks.sum(int(input.density_color > 0)) > 0;
    const bool by_column = ranks.sum(int(input.color[0] && !input.color[1])) > 0;
    const compute::PartOfRows part(ranks, input.count);
    if (by_density) {
      const std::size_t most = FieldHistograms::kSample / std::size_t(ranks.size());
      const auto own =
          local_densities(renderer.radius_sample(k, most), double(input.density_color));
      const auto all = ranks.all_gather<float>(own);
      histograms_[k] = analysis::count_values(all.data(), all.size());
    } else if (by_column) {
      const std::uint64_t stride = std::max<std::uint64_t>(
          1, (part.total() + FieldHistograms::kSample - 1) / FieldHistograms::kSample);
      const auto all = part.every<float>(stride, [&](std::size_t i, std::vector<float>& out) {
        out.push_back(input.color[0][i]);
      });
      histograms_[k] = analysis::count_values(all.data(), all.size());
    } else {
      continue;
    }
    histograms_[k].values = part.total();
  }
}

void LoadedParticles::forget_columns() {
  for (auto& columns : particles_.types) columns = {};
}

}  // namespace haloscope::render
