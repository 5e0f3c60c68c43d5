#pragma once

#include "render/scene/render_request.h"
#include "render/scene/scene_looks.h"

#include <array>
#include <optional>
#include <vector>

// The limits of the one color that --range and the keys of a path mean: that which --color names,
// or the only one that there is; of types that are shown. Maps have none.
namespace haloscope::render {

// Whether there is such a color. Needs no appearances.
bool has_color_range(const RenderRequest& request, const std::vector<TypeLook>& looks);

// Its limits in transformed units (3.5 of a logarithmic color means 10^3.5); nothing where there is
// no such color.
std::optional<std::array<double, 2>> color_range(const RenderRequest& request,
                                                 const SceneLooks& looks);
// Takes them in transformed units too.
void set_color_range(const RenderRequest& request, const std::array<double, 2>& limits,
                     SceneLooks& looks);

// A limit in the field's own units in transformed ones. Throws Error where the color is logarithmic
// and the limit not positive.
double transformed_limit(const RenderRequest& request, const SceneLooks& looks, double limit);

}  // namespace haloscope::render
