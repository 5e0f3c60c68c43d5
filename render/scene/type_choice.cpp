#include "render/scene/type_choice.h"

#include "core/srgb.h"
#include "render/colors/palette.h"

#include <cmath>

namespace haloscope::render {

namespace splotch = compute::splotch;
using splotch::Transform;

namespace {

// Decades below the upper limit where a linear color's lower one has no logarithm.
constexpr float kDecades = 3;

// The same limits on another scale.
void rescale(splotch::Ranging& ranging, Transform scale) {
  const double low = in_field_units(ranging.transform, ranging.low);
  const double high = in_field_units(ranging.transform, ranging.high);
  if (scale == Transform::Log && !(high > 0)) return;
  ranging.transform = scale;
  ranging.high = float(transformed(scale, high));
  ranging.low = scale == Transform::Log && !(low > 0) ? ranging.high - kDecades
                                                      : float(transformed(scale, low));
}

}  // namespace

std::vector<std::array<float, 3>> linear_nodes(const std::string& name) {
  auto colors = find_palette(name).colors;
  for (auto& color : colors)
    for (float& component : color) component = srgb_to_linear(component);
  return colors;
}

double transformed(Transform transform, double value) {
  if (transform == Transform::Log) return std::log10(value);
  return transform == Transform::Asinh ? std::asinh(value) : value;
}

double in_field_units(Transform transform, double limit) {
  if (transform == Transform::Log) return std::pow(10.0, limit);
  return transform == Transform::Asinh ? std::sinh(limit) : limit;
}

bool is_shown(const TypeChoice& choice, bool at_first) {
  return choice.shown.value_or(at_first);
}

splotch::Ranging chosen_color(const ColorChoice& choice, splotch::Ranging color) {
  if (choice.scale && *choice.scale != color.transform) rescale(color, *choice.scale);
  if (!choice.limits) return color;
  if (color.transform == Transform::Log && !((*choice.limits)[0] > 0)) return color;
  color.low = float(transformed(color.transform, (*choice.limits)[0]));
  color.high = float(transformed(color.transform, (*choice.limits)[1]));
  return color;
}

void apply_choice(const TypeChoice& choice, splotch::Appearance& appearance, bool shown_at_first) {
  const bool shown = is_shown(choice, shown_at_first);
  appearance.brightness = shown ? float(appearance.brightness * choice.brightness) : 0.f;
  appearance.radius_factor = float(appearance.radius_factor * choice.smoothing);
  if (!choice.color_map.empty()) appearance.palette = linear_nodes(choice.color_map);
  appearance.color = chosen_color(choice, appearance.color);
}

}  // namespace haloscope::render
