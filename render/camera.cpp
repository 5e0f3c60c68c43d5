#include "render/camera.h"

#include "core/error.h"
#include "core/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haloscope::render {

namespace {

using compute::splotch::View;

constexpr double kDefaultFov = 40;  // degrees
// Part of the picture that the bounds fill.
constexpr double kFill = 0.98;

Vec unit_or_z(const Vec& a) {
  return length(a) > 0 ? unit(a) : Vec{0, 0, 1};
}
Vec center_of(const Bounds& b) {
  return {0.5 * (b.low[0] + b.high[0]), 0.5 * (b.low[1] + b.high[1]), 0.5 * (b.low[2] + b.high[2])};
}

struct Axes {
  Vec right, up, back;
};

Axes axes_of(const View& view) {
  Axes a;
  a.back = unit_or_z(plus(view.eye, view.target, -1));
  a.right = unit_or_z(cross(view.up, a.back));
  a.up = cross(a.back, a.right);
  return a;
}

// z, unless the camera looks along it.
Vec default_up(const View& view) {
  const Vec back = axes_of(view).back;
  return std::abs(back[2]) > 0.999 ? Vec{0, 1, 0} : Vec{0, 0, 1};
}

double longest_side(const Bounds& b) {
  double side = 0;
  for (std::size_t c = 0; c < 3; ++c) side = std::max(side, b.high[c] - b.low[c]);
  return side > 0 ? side : 1;
}

// Calls f with each corner relative to the center, in camera axes.
template <class F>
void for_each_corner(const Bounds& bounds, const Axes& axes, const F& f) {
  const Vec center = center_of(bounds);
  for (int corner = 0; corner < 8; ++corner) {
    Vec p{};
    for (std::size_t c = 0; c < 3; ++c)
      p[c] = ((corner >> c) & 1 ? bounds.high[c] : bounds.low[c]) - center[c];
    f(Vec{dot(axes.right, p), dot(axes.up, p), dot(axes.back, p)});
  }
}

// The distance from the center at which all corners are in the picture.
double fitting_distance(const Bounds& bounds, const View& view) {
  const double tangent = kFill * std::tan(0.5 * view.fov_degrees * std::numbers::pi / 180);
  const double vertical = tangent * view.height / view.width;
  double distance = 0;
  for_each_corner(bounds, axes_of(view), [&](const Vec& p) {
    distance =
        std::max({distance, p[2] + std::abs(p[0]) / tangent, p[2] + std::abs(p[1]) / vertical});
  });
  return distance > 0 ? distance : 1;
}

double fitting_width(const Bounds& bounds, const View& view) {
  double half_width = 0;
  for_each_corner(bounds, axes_of(view), [&](const Vec& p) {
    half_width = std::max({half_width, std::abs(p[0]), std::abs(p[1]) * view.width / view.height});
  });
  return half_width > 0 ? 2 * half_width : 1;
}

View start(const CameraChoice& choice, int width, int height) {
  if (choice.fov_degrees && choice.ortho_width)
    throw Error("--fov (perspective) and --ortho (orthographic) exclude each other", "camera",
                "give one of them");
  if (choice.ortho_width && !(*choice.ortho_width > 0))
    throw Error("the width of an orthographic view must be positive", "--ortho");
  if (choice.fov_degrees && !(*choice.fov_degrees > 0 && *choice.fov_degrees < 180))
    throw Error("the field of view must lie between 0 and 180 degrees", "--fov");
  if (choice.eye && choice.target && *choice.eye == *choice.target)
    throw Error("eye and target are the same point", "camera", "move one of them");
  View view;
  view.width = width;
  view.height = height;
  view.fov_degrees = choice.fov_degrees.value_or(kDefaultFov);
  return view;
}

void check_up(const View& view) {
  const Vec back = axes_of(view).back;
  const Vec side = cross(unit_or_z(view.up), back);
  if (dot(view.up, view.up) == 0 || dot(side, side) < 1e-20)
    throw Error("the up direction is along the line of sight", "--up", "choose another direction");
}

}  // namespace

View choose_view(const Bounds& bounds, const CameraChoice& choice, int width, int height) {
  View view = start(choice, width, height);
  view.perspective = !choice.ortho_width;
  view.target = choice.target.value_or(center_of(bounds));
  const Vec direction = unit_or_z({0.36, -1, 0.26});
  view.eye = choice.eye.value_or(plus(view.target, direction));
  view.up = choice.up.value_or(default_up(view));
  if (choice.ortho_width) view.ortho_width = *choice.ortho_width;
  if (!choice.eye) {
    check_up(view);
    view.eye = plus(view.target, direction,
                    view.perspective ? fitting_distance(bounds, view) : 2 * longest_side(bounds));
  }
  if (view.eye == view.target)
    throw Error("eye and target are the same point", "camera", "move one of them");
  check_up(view);
  return view;
}

View fitted_view(const Bounds& bounds, const View& view) {
  View fitted = view;
  const Vec back = axes_of(view).back;
  fitted.target = center_of(bounds);
  fitted.eye = plus(fitted.target, back,
                    view.perspective ? fitting_distance(bounds, view) : 2 * longest_side(bounds));
  if (!view.perspective) fitted.ortho_width = fitting_width(bounds, view) / kFill;
  return fitted;
}

View choose_map_view(const Bounds& bounds, const CameraChoice& choice, int width, int height) {
  if (choice.fov_degrees)
    throw Error("a map is made with an orthographic camera, not with a perspective one", "--fov",
                "leave --fov out, or give --ortho WIDTH");
  View view = start(choice, width, height);
  view.perspective = false;
  view.target = choice.target.value_or(center_of(bounds));
  view.eye = choice.eye.value_or(plus(view.target, {0, 0, 1}, longest_side(bounds)));
  if (view.eye == view.target)
    throw Error("eye and target are the same point", "camera", "move one of them");
  view.up = choice.up.value_or(default_up(view));
  check_up(view);
  view.ortho_width = choice.ortho_width.value_or(fitting_width(bounds, view));
  return view;
}

bool is_along_axes(const View& view) {
  constexpr double kExact = 1 - 1e-12;
  const auto along = [](const Vec& v) {
    return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}) > kExact;
  };
  const Axes axes = axes_of(view);
  return !view.perspective && along(axes.back) && along(axes.up);
}

std::array<double, 4> map_extent(const View& view) {
  const Axes axes = axes_of(view);
  const double x = dot(axes.right, view.target), y = dot(axes.up, view.target);
  const double half_width = 0.5 * view.ortho_width;
  const double half_height = half_width * view.height / view.width;
  return {x - half_width, x + half_width, y - half_height, y + half_height};
}

}  // namespace haloscope::render
