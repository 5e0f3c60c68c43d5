#include "render/scene/drawn_radii.h"

#include "render/scene/choose_looks.h"
#include "render/scene/prepare_particles.h"

#include <cstdlib>

namespace haloscope::render {

namespace splotch = compute::splotch;

namespace {

// Largest estimated smoothing length of a star beside the longest side of what is shown: a pixel or
// two in the first picture.
constexpr double kCompactSize = 0.002;

bool needs_cap(const SnapshotInfo& info, const ParticleColumns& columns) {
  return is_compact(look_of(info, columns.type)) && columns.support_radius.empty();
}

// Of types whose lengths need a cap and were not found, the renderer's estimate.
void estimate_compact(const SnapshotInfo& info, const ParticleSet& particles,
                      const std::vector<const float*>& found, splotch::Renderer& renderer,
                      Progress& progress, DrawnRadii& drawn) {
  std::vector<std::size_t> indices;
  std::vector<splotch::TypeInput> inputs;
  for (std::size_t k = 0; k < particles.types.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    if (!needs_cap(info, columns) || found[k]) continue;
    splotch::TypeInput input;
    input.count = columns.count;
    for (std::size_t c = 0; c < 3; ++c) input.position[c] = columns.position[c].data();
    indices.push_back(k);
    inputs.push_back(input);
  }
  if (inputs.empty()) return;
  renderer.set_particles(particles.domain, inputs, progress);
  const auto estimated = renderer.estimated_radii();
  for (std::size_t j = 0; j < indices.size(); ++j) {
    drawn.capped[indices[j]] = renderer.radii(j);
    drawn.estimated[indices[j]] = estimated[j];
  }
}

}  // namespace

analysis::LengthsChoice lengths_choice(const RenderRequest& request, compute::Device device) {
  analysis::LengthsChoice choice;
  choice.neighbors = request.neighbors;
  const char* never = std::getenv("HALOSCOPE_NO_CACHE");
  choice.keep = never && *never ? io::KeepLengths::Nowhere : request.keep_lengths;
  choice.part = request.selection.any();
  choice.copies = request.said.replicate;
  choice.device = device;
  choice.gpu_memory_bytes = request.compute.gpu_memory_bytes;
  return choice;
}

std::vector<float> cap_found(const SnapshotInfo& info, int type, std::span<const float> found,
                             double extent, compute::Ranks& ranks) {
  if (!is_compact(look_of(info, type))) return {};
  std::vector<float> capped(found.begin(), found.end());
  cap_compact(capped, kCompactSize * extent, ranks);
  return capped;
}

DrawnRadii drawn_radii(const SnapshotInfo& info, const ParticleSet& particles,
                       const std::vector<const float*>& found, double extent,
                       splotch::Renderer& renderer, Progress& progress) {
  DrawnRadii drawn;
  drawn.capped.resize(particles.types.size());
  drawn.estimated.resize(particles.types.size());
  estimate_compact(info, particles, found, renderer, progress, drawn);
  for (std::size_t k = 0; k < particles.types.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    auto& capped = drawn.capped[k];
    if (needs_cap(info, columns) && found[k]) capped.assign(found[k], found[k] + columns.count);
    if (!capped.empty()) cap_compact(capped, kCompactSize * extent);
    drawn.radii.push_back(!capped.empty() ? capped.data() : found[k]);
  }
  return drawn;
}

}  // namespace haloscope::render
