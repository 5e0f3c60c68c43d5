#pragma once

#include "compute/splotch/settings.h"
#include "core/particles.h"
#include "render/camera.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// What one type of particles shall look like.
struct TypeLook {
  std::string color;  // a field of ParticleColumns, kLocalDensity, or empty: one color
  compute::splotch::Transform transform = compute::splotch::Transform::Linear;
  std::optional<std::array<double, 2>> range;  // in the field's own units; else from the data
  std::vector<std::array<float, 3>> palette;   // display values
  double brightness = 1;                       // beside the other types
  // Of a part of the dark matter: the type (or, where that is not there, the types of the same
  // part) that it shares its light per mass with. None: its total light is that of any other type.
  std::optional<int> light_of;
  bool shown = true;      // at first
  double smooth = 1;      // multiplies smoothing lengths
  std::string intensity;  // classic: a field, logarithmically; empty: all particles alike
};

// Loaded particles as the renderer takes them. Points into the ParticleSet it was made of, which
// must live as long.
struct Scene {
  std::vector<compute::splotch::TypeInput> inputs;
  std::vector<compute::splotch::Appearance> appearances;
};

// Replaces what would spoil a picture: masses that are negative or not finite become 0, smoothing
// lengths that are not finite become 0 (the renderer then estimates them). The loader has said so.
void clean_columns(ParticleSet& particles);

// Mass of all particles, code masses.
double total_mass(const ParticleSet& particles);

// One look per type. `radii`: per type, smoothing lengths in place of those that it lacks, or null;
// they must live as long as the particles.
//
// Default mode: the particles' light is their mass; all types' totals are made equal before
// `brightness` (those apart that share another one's light per mass), and scaled by the domain's
// size, so that units don't matter. Palettes are taken to linear light before they are added up;
// colors range between the data's 0.5 and 99.5 % quantiles. Classic mode follows Splotch: palettes
// as they stand, ranges from minimum to maximum, radius half the smoothing length. Map mode: masses
// as stored, color as it stands. Throws Error for a limit that the transform cannot take. A color
// by local density gets its range from the renderer's radii: call set_density_range() once it has
// the particles.
Scene make_scene(const ParticleSet& particles, const std::vector<TypeLook>& looks,
                 compute::splotch::Mode mode, const std::vector<const float*>& radii = {});

// Number densities that are the colors of particles with such radii, of which each has so many
// particles inside (TypeInput::density_color).
std::vector<float> local_densities(const std::vector<float>& radii, double particles);

// The color range of a type that is colored by local density, from a sample of its radii and how
// many particles are taken to be inside one (TypeInput::density_color).
void set_density_range(compute::splotch::Appearance& appearance, const TypeLook& look,
                       const std::vector<float>& radii, double particles,
                       compute::splotch::Mode mode);

// The box that holds the particles between the quantiles `outside` and 1 − `outside` of each axis
// (of a sample); 0: all particles.
Bounds particle_bounds(const ParticleSet& particles, double outside);

}  // namespace haloscope::render
