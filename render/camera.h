#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <optional>

namespace haloscope::render {

// A box in world coordinates.
struct Bounds {
  std::array<double, 3> low{0, 0, 0}, high{1, 1, 1};
};

// What a user said of the camera; the rest is chosen.
struct CameraChoice {
  std::optional<std::array<double, 3>> eye, target, up;
  std::optional<double> fov_degrees;  // perspective
  std::optional<double> ortho_width;  // orthographic

  bool any() const { return eye || target || up || fov_degrees || ortho_width; }
};

// A camera that sees all of `bounds`: a perspective from the front, above and to the right of its
// center, z up, unless `choice` says otherwise. A target alone moves the camera along, an eye alone
// looks at the center.
compute::splotch::View choose_view(const Bounds& bounds, const CameraChoice& choice, int width,
                                   int height);

// The view from the same direction that sees all of `bounds`: its target is the center, eye or
// width follow.
compute::splotch::View fitted_view(const Bounds& bounds, const compute::splotch::View& view);

// A camera for measuring: orthographic along −z (x to the right, y up), with all of `bounds` in the
// picture, unless `choice` says otherwise. Throws Error for a perspective camera.
compute::splotch::View choose_map_view(const Bounds& bounds, const CameraChoice& choice, int width,
                                       int height);

// True for an orthographic view along ±x, ±y or ±z whose up is along an axis too: a box fits its
// edges exactly.
bool is_along_axes(const compute::splotch::View& view);

// Left, right, bottom and top edge of an orthographic view in world lengths, measured along the
// image's right and up directions from the origin of the coordinates.
std::array<double, 4> map_extent(const compute::splotch::View& view);

}  // namespace haloscope::render
