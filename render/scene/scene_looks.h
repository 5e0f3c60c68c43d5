#pragma once

#include "compute/splotch/renderer.h"
#include "compute/splotch/settings.h"
#include "render/scene/renderer_input.h"
#include "render/scene/type_choice.h"
#include "render/scene/type_look.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::render {

// How the types of a scene look: as it was planned (choose_looks.h), and what the kernel takes of
// that. One entry per type in both; before particles are there, no appearances.
struct SceneLooks {
  std::vector<TypeLook> looks;
  std::vector<compute::splotch::Appearance> appearances;
};

// Gives colors by local density their limits, from the radii of the particles that `renderer` has.
void set_density_colors(const RendererInput& input, const compute::splotch::Renderer& renderer,
                        compute::splotch::Mode mode, SceneLooks& looks);
// So many of a type's radii are looked at for it.
inline constexpr std::size_t kDensitySample = 1u << 20;
// From a sample of each type's radii.
void set_density_colors(const RendererInput& input, const std::vector<std::vector<float>>& radii,
                        compute::splotch::Mode mode, SceneLooks& looks);

// Changes looks and appearances to what the user wants, by number of the type. Throws as
// apply_choice.
void apply_choices(const std::map<int, TypeChoice>& choices, SceneLooks& looks);

// Takes half of the light of dark matter away where gas is shown: its appearances in default mode.
// Alone it has half of what gas has (default_looks.h), beside gas a quarter, so that it lies
// behind.
void dim_beside_gas(const std::vector<TypeLook>& looks,
                    std::vector<compute::splotch::Appearance>& appearances);

// A sentence for each type of whose color a logarithm is taken where there is none. `ranks`: each
// with its part of the particles.
std::vector<std::string> values_without_logarithm(const RendererInput& input,
                                                  const std::vector<std::string>& names,
                                                  const SceneLooks& looks,
                                                  compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::render
