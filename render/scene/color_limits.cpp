#include "render/scene/color_limits.h"

#include "core/error.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace haloscope::render {

namespace {

using compute::splotch::Mode;
using compute::splotch::Transform;

bool is_ranged(const RenderRequest& request, const TypeLook& look) {
  const auto choice = request.choices.find(look.type);
  if (choice != request.choices.end() && !is_shown(choice->second)) return false;
  return request.mode != Mode::Map && !request.map.shown && !look.color.empty() &&
         (!request.color || look.color == request.color->field);
}

}  // namespace

bool has_color_range(const RenderRequest& request, const std::vector<TypeLook>& looks) {
  const auto count = std::count_if(looks.begin(), looks.end(),
                                   [&](const TypeLook& look) { return is_ranged(request, look); });
  return request.color ? count > 0 : count == 1;
}

std::optional<std::array<double, 2>> color_range(const RenderRequest& request,
                                                 const SceneLooks& looks) {
  if (!has_color_range(request, looks.looks)) return {};
  for (std::size_t k = 0; k < looks.looks.size(); ++k) {
    if (!is_ranged(request, looks.looks[k])) continue;
    const auto& color = looks.appearances[k].color;
    return std::array{double(color.low), double(color.high)};
  }
  return {};
}

void set_color_range(const RenderRequest& request, const std::array<double, 2>& limits,
                     SceneLooks& looks) {
  for (std::size_t k = 0; k < looks.looks.size(); ++k) {
    if (!is_ranged(request, looks.looks[k])) continue;
    looks.appearances[k].color.low = float(limits[0]);
    looks.appearances[k].color.high = float(limits[1]);
  }
}

double transformed_limit(const RenderRequest& request, const SceneLooks& looks, double limit) {
  for (std::size_t k = 0; k < looks.looks.size(); ++k) {
    if (!is_ranged(request, looks.looks[k])) continue;
    const Transform transform = looks.appearances[k].color.transform;
    if (transform == Transform::Log && !(limit > 0))
      throw Error(fmt::format("a logarithmic color has no limit {}", limit), "range",
                  "give positive limits, or add :lin or :asinh to --color");
    return transformed(transform, limit);
  }
  return limit;
}

}  // namespace haloscope::render
