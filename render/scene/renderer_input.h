#pragma once

#include "compute/exec/ranks.h"
#include "compute/splotch/settings.h"
#include "core/particles.h"
#include "render/scene/render_request.h"
#include "render/scene/type_look.h"

#include <vector>

namespace haloscope::render {

// Particles as the renderer takes them, one entry per type. Points into the ParticleSet it was made
// of, which must live as long.
struct RendererInput {
  std::vector<compute::splotch::TypeInput> inputs;
  std::vector<compute::splotch::Appearance> appearances;
};

// One look per type. `radii`: per type, smoothing lengths in place of those that it lacks, or null;
// they must live as long as the particles, which are cleaned (clean_columns).
//
// Default mode: the particles' light is their mass; all types' totals are made equal before
// `brightness` (those apart that share another one's light per mass), and scaled by the domain's
// size, so that units don't matter. Palettes are taken to linear light before they are added up;
// colors range between the data's 0.5 and 99.5 % quantiles, temperatures from that which a tenth of
// the mass is below, and stars' own colors are as they are. Classic mode follows Splotch: palettes
// as they stand, ranges from minimum to maximum, radius half the smoothing length. Map mode: masses
// as stored, color as it stands. Throws Error for a limit that the transform cannot take. A color
// by local density gets its range from the renderer's radii: call set_density_range() once it has
// the particles. `ranks`: the particles are this rank's part, and all ranks call it: appearances
// are those of all particles.
RendererInput make_renderer_input(const ParticleSet& particles, const std::vector<TypeLook>& looks,
                                  compute::splotch::Mode mode,
                                  const std::vector<const float*>& radii = {},
                                  compute::Ranks& ranks = compute::alone());

// A type with so many particles is packed where that may be. Fewer lie so far apart that most
// blocks would be loose (99 % of 16.8 million without much structure), and take little memory.
inline constexpr std::uint64_t kPackedFrom = 1u << 26;

// Of so many a GPU saves a gibibyte by rows in host memory, and a search that needs them waits some
// tenths of a second.
inline constexpr std::uint64_t kRowsAsideFrom = 1u << 28;

// Says which types are packed (TypeInput::packed): those of `from` particles or more, for pictures
// of light as they are drawn fastest. What is drawn exactly from the start, or a map from the
// start, is uploaded in full precision. Sets the rows of very many particles aside in any case.
void choose_packing(const RenderRequest& request, RendererInput& made,
                    std::uint64_t from = kPackedFrom);

// Number densities that are the colors of particles with such radii, of which each has so many
// particles inside (TypeInput::density_color).
std::vector<float> local_densities(const std::vector<float>& radii, double particles);

// The color range of a type that is colored by local density, from a sample of its radii and how
// many particles are taken to be inside one (TypeInput::density_color).
void set_density_range(compute::splotch::Appearance& appearance, const TypeLook& look,
                       const std::vector<float>& radii, double particles,
                       compute::splotch::Mode mode);

}  // namespace haloscope::render
