#include "render/scene/scene_looks.h"

#include "render/colors/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace haloscope::render {

void set_density_colors(const RendererInput& made, const compute::splotch::Renderer& renderer,
                        compute::splotch::Mode mode, SceneLooks& looks) {
  for (std::size_t k = 0; k < made.inputs.size(); ++k)
    if (made.inputs[k].density_color > 0)
      set_density_range(looks.appearances[k], looks.looks[k],
                        renderer.radius_sample(k, kDensitySample),
                        double(made.inputs[k].density_color), mode);
}

void set_density_colors(const RendererInput& made, const std::vector<std::vector<float>>& radii,
                        compute::splotch::Mode mode, SceneLooks& looks) {
  for (std::size_t k = 0; k < made.inputs.size(); ++k)
    if (made.inputs[k].density_color > 0)
      set_density_range(looks.appearances[k], looks.looks[k], radii[k],
                        double(made.inputs[k].density_color), mode);
}

void apply_choices(const std::map<int, TypeChoice>& choices, SceneLooks& looks) {
  for (std::size_t k = 0; k < looks.appearances.size(); ++k) {
    TypeLook& look = looks.looks[k];
    const auto choice = choices.find(look.type);
    if (choice == choices.end()) continue;
    apply_choice(choice->second, looks.appearances[k]);
    look.transform = looks.appearances[k].color.transform;
    if (!choice->second.color_map.empty())
      look.palette = find_palette(choice->second.color_map).colors;
  }
}

void dim_beside_gas(const std::vector<TypeLook>& looks,
                    std::vector<compute::splotch::Appearance>& appearances) {
  constexpr int kGas = 0, kDarkMatter = 1;
  constexpr float kBesideGas = 0.5f;
  bool gas = false;
  for (std::size_t k = 0; k < looks.size(); ++k)
    gas = gas || (looks[k].type == kGas && appearances[k].brightness > 0);
  for (std::size_t k = 0; gas && k < looks.size(); ++k)
    if (looks[k].type == kDarkMatter || looks[k].light_of == kDarkMatter)
      appearances[k].brightness *= kBesideGas;
}

std::vector<std::string> values_without_logarithm(const RendererInput& input,
                                                  const std::vector<std::string>& names,
                                                  const SceneLooks& looks, compute::Ranks& ranks) {
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < looks.appearances.size(); ++k) {
    if (looks.appearances[k].color.transform != compute::splotch::Transform::Log) continue;
    const float* const values = input.inputs[k].color[0];  // null where this rank has none
    std::uint64_t count = values ? input.inputs[k].count : 0;
    const std::uint64_t below = ranks.sum(std::uint64_t(
        std::count_if(values, values + count, [](float value) { return value < 0; })));
    count = ranks.sum(count);
    const std::string& field = looks.looks[k].color;
    if (below > 0)
      sentences.push_back(
          fmt::format("{} of {} values of {} of {} are below 0 and have no logarithm: they have "
                      "the color of the lowest one; {}:asinh tells them apart.",
                      below, count, field, names[k], field));
  }
  return sentences;
}

}  // namespace haloscope::render
