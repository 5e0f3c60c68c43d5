#include "render/scene/slice_picture.h"

#include "core/vector.h"
#include "render/colors/layers.h"
#include "render/colors/palette.h"
#include "render/scene/particle_coloring.h"
#include "render/scene/type_choice.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <vector>

namespace haloscope::render {

namespace splotch = compute::splotch;

namespace {

using Pixel = std::array<std::uint8_t, 4>;

double dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec unit(const Vec& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

// Lines of sight through pixels.
class Sight {
 public:
  explicit Sight(const splotch::View& view) : view_(view) {
    Vec behind;
    for (std::size_t c = 0; c < 3; ++c) behind[c] = view.eye[c] - view.target[c];
    const double distance = std::sqrt(dot(behind, behind));
    back_ = unit(behind);
    right_ = unit(cross(view.up, back_));
    up_ = cross(back_, right_);
    const double tangent = 2 * std::tan(0.5 * view.fov_degrees * std::numbers::pi / 180);
    width_ = view.perspective       ? tangent
             : view.ortho_width > 0 ? view.ortho_width
                                    : tangent * distance;
  }

  // Where the line through the middle of a pixel meets the plane; none: nowhere before the eye.
  std::optional<Vec> meets(double x, double y, std::size_t axis, double position) const {
    const double across = (x + 0.5) / view_.width - 0.5;
    const double upward = (0.5 * view_.height - (y + 0.5)) / view_.width;
    Vec from = view_.eye, along;
    for (std::size_t c = 0; c < 3; ++c) {
      const double aside = width_ * (across * right_[c] + upward * up_[c]);
      if (!view_.perspective) from[c] += aside;
      along[c] = (view_.perspective ? aside : 0) - back_[c];
    }
    const double depth = (position - from[axis]) / along[axis];
    if (!(depth > 0) || !std::isfinite(depth)) return {};
    Vec point;
    for (std::size_t c = 0; c < 3; ++c) point[c] = from[c] + depth * along[c];
    return point;
  }

 private:
  const splotch::View& view_;
  Vec right_{}, up_{}, back_{};
  double width_ = 1;  // of the picture: of a perspective at depth 1
};

Pixel pixel_of(const std::array<float, 3>& color, double opacity) {
  Pixel pixel{};
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = std::uint8_t(std::lround(255 * opacity * double(color[c])));
  pixel[3] = std::uint8_t(std::lround(255 * opacity));
  return pixel;
}

// The color of each cell.
std::vector<Pixel> colored(const ShownSlice& slice) {
  const splotch::Ranging color = slice_color(slice);
  const Palette palette = find_palette(slice_palette(slice.choice.look));
  const std::vector<float>& values = slice.plane->values;
  std::vector<Pixel> pixels(values.size());
  tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t k) {
    const double value = transformed(color.transform, double(values[k]));
    const double place = (value - double(color.low)) / (double(color.high) - double(color.low));
    // A logarithm of a value below 0 is no number, that of 0 is infinite.
    const float at = std::isnan(place) ? 0.f : float(std::clamp(place, 0., 1.));
    pixels[k] = pixel_of(sample(palette, at), slice.choice.opacity);
  });
  return pixels;
}

// The copy that is nearest to a target.
double nearest_copy(double position, double target, double period) {
  return period > 0 ? position - period * std::round((position - target) / period) : position;
}

// The cells that a view sees of a plane.
class SeenPlane {
 public:
  SeenPlane(const analysis::GridPlane& plane, const splotch::View& view)
      : plane_(plane),
        view_(view),
        sight_(view),
        first_(plane.axis == 0 ? 1 : 0),
        second_(plane.axis == 2 ? 1 : 2),
        position_(nearest_copy(plane.position, view.target[plane.axis], plane.period)) {}

  std::optional<SeenCell> at(double x, double y) const {
    const auto point = sight_.meets(x, y, plane_.axis, position_);
    if (!point || !is_nearest((*point)[first_], first_) || !is_nearest((*point)[second_], second_))
      return {};
    const auto cell = plane_.cell_at({(*point)[first_], (*point)[second_]});
    if (!cell) return {};
    return SeenCell{*point, *cell};
  }

 private:
  bool is_nearest(double place, std::size_t axis) const {
    return !(plane_.period > 0) || std::fabs(place - view_.target[axis]) <= 0.5 * plane_.period;
  }

  const analysis::GridPlane& plane_;
  const splotch::View& view_;
  Sight sight_;
  std::size_t first_, second_;
  double position_;
};

}  // namespace

splotch::Ranging slice_color(const ShownSlice& slice) {
  return chosen_color(slice.choice.look, slice.automatic);
}

std::string slice_palette(const analysis::ColorChoice& look) {
  return field_palette(look);
}

Image8 slice_layer(const ShownSlice& slice, const splotch::View& view) {
  const analysis::GridPlane& plane = *slice.plane;
  const std::vector<Pixel> colors = colored(slice);
  const SeenPlane seen(plane, view);
  Image8 layer(view.width, view.height, 4);
  tbb::parallel_for(0, view.height, [&](int y) {
    for (int x = 0; x < view.width; ++x) {
      const auto cell = seen.at(x, y);
      if (!cell) continue;
      const Pixel& pixel = colors[cell->cell];
      std::copy(pixel.begin(), pixel.end(), layer.at(x, y));
    }
  });
  return layer;
}

std::optional<SeenCell> slice_under(const ShownSlice& slice, const splotch::View& view, double x,
                                    double y) {
  return SeenPlane(*slice.plane, view).at(x, y);
}

Image8 with_slice(const Image8& picture, const ShownSlice& slice, const splotch::View& view) {
  return slice ? under_layer(picture, slice_layer(slice, view)) : picture;
}

}  // namespace haloscope::render
