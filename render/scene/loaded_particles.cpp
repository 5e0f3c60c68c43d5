#include "render/scene/loaded_particles.h"

#include "render/scene/prepare_particles.h"

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
                                   const compute::splotch::Renderer& renderer) {
  histograms_.assign(made.inputs.size(), {});
  for (std::size_t k = 0; k < made.inputs.size(); ++k) {
    const compute::splotch::TypeInput& input = made.inputs[k];
    if (input.density_color > 0) {
      const auto density =
          local_densities(renderer.radius_sample(k, analysis::FieldHistograms::kSample),
                          double(input.density_color));
      histograms_[k] = analysis::count_values(density.data(), density.size());
      histograms_[k].values = input.count;
    } else if (input.color[0] && !input.color[1]) {
      histograms_[k] = analysis::count_values(input.color[0], std::size_t(input.count));
    }
  }
}

void LoadedParticles::forget_columns() {
  for (auto& columns : particles_.types) columns = {};
}

}  // namespace haloscope::render
