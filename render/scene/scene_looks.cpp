#include "render/scene/scene_looks.h"

#include "render/colors/palette.h"

namespace haloscope::render {

void set_density_colors(const RendererInput& made, const compute::splotch::Renderer& renderer,
                        compute::splotch::Mode mode, SceneLooks& looks) {
  constexpr std::size_t kSample = 1u << 20;
  for (std::size_t k = 0; k < made.inputs.size(); ++k)
    if (made.inputs[k].density_color > 0)
      set_density_range(looks.appearances[k], looks.looks[k], renderer.radius_sample(k, kSample),
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

}  // namespace haloscope::render
