#pragma once

#include "compute/splotch/settings.h"
#include "core/particles.h"
#include "core/progress.h"
#include "io/splotch/splotch_parameters.h"

#include <array>
#include <string>
#include <vector>

// A Splotch parameter file's words as the renderer's.
namespace haloscope::render {

// Reads what a frame draws, from a raw table or a Gadget snapshot. With periodic=F particles stay
// where they are, whatever the snapshot says of its box. Throws Error
// where a name of `outputs` is one of the snapshot's files.
ParticleSet load_splotch_particles(const io::SplotchParameters& parameters,
                                   const std::vector<std::string>& outputs, Progress& progress);

// Says whether two frames need the same columns on the device, which then stay there.
std::string splotch_columns_key(const io::SplotchParameters& parameters);

// Renderer input of one frame; points into the particles.
struct SplotchScene {
  std::vector<compute::splotch::TypeInput> inputs;
  std::vector<compute::splotch::Appearance> appearances;
  std::vector<Array<float>> made_columns;
  std::vector<std::vector<std::array<float, 3>>> color_bars;  // palettes of the scalar types
};

// Ranges come from this frame's data, type by type, where the parameters give no limits.
SplotchScene make_splotch_scene(const ParticleSet& particles,
                                const io::SplotchParameters& parameters);

compute::splotch::View splotch_view(const io::SplotchParameters& parameters);

}  // namespace haloscope::render
