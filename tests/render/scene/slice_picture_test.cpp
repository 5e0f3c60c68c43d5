// A slice of a grid as a view sees it: each cell where its particles are drawn.

#include "render/scene/slice_picture.h"

#include "app/session/camera.h"
#include "app/session/camera_motion.h"
#include "core/error.h"
#include "render/colors/layers.h"
#include "render/colors/palette.h"
#include "tests/catch.h"

#include <cmath>
#include <memory>
#include <vector>

using namespace haloscope;
using render::ShownSlice;

namespace {

constexpr int kWidth = 120, kHeight = 80;

// 4 x 4 cells of 10 across an axis of a box that reaches from 0 to 40.
ShownSlice some_slice(std::size_t axis, double position, double period = 0) {
  analysis::GridPlane plane;
  plane.axis = axis;
  plane.position = position;
  plane.cells = {4, 4};
  plane.spacing = {10, 10};
  plane.period = period;
  for (int k = 0; k < 16; ++k) plane.values.push_back(float(k));
  ShownSlice slice;
  slice.plane = std::make_shared<const analysis::GridPlane>(plane);
  slice.automatic = {compute::splotch::Transform::Linear, 0, 15};
  slice.choice.axis = axis;
  slice.choice.position = position;
  slice.choice.opacity = 1;
  return slice;
}

// Of the cell with that place in the list; none where there is none.
std::array<int, 4> color_of(int cell) {
  const auto color = render::sample(render::find_palette("viridis"), float(cell) / 15);
  std::array<int, 4> rgba{0, 0, 0, 255};
  for (std::size_t c = 0; c < 3; ++c) rgba[c] = int(std::lround(255 * color[c]));
  return rgba;
}

std::array<int, 4> pixel(const Image8& layer, int x, int y) {
  const std::uint8_t* const p = layer.at(x, y);
  return {p[0], p[1], p[2], p[3]};
}

Vec in_space(std::size_t axis, double position, double first, double second) {
  Vec point{first, first, second};
  point[axis] = position;
  point[axis == 0 ? 1 : 0] = first;
  point[axis == 2 ? 1 : 2] = second;
  return point;
}

}  // namespace

TEST_CASE("a slice is drawn where its cells are, in all projections", "[slice]") {
  for (const bool perspective : {true, false})
    for (const std::size_t axis : {0u, 1u, 2u}) {
      app::session::Camera camera{perspective, {20, 20, 20}, 90, {}, 40, 70};
      camera = app::session::orbit(camera, 35, 25);
      const ShownSlice slice = some_slice(axis, 13);
      const Image8 layer =
          render::slice_layer(slice, app::session::to_view(camera, kWidth, kHeight));
      REQUIRE((layer.width == kWidth && layer.height == kHeight && layer.channels == 4));
      int seen = 0;
      for (int u = -1; u < 5; ++u)
        for (int v = -1; v < 5; ++v) {
          // As overlays are placed (place_in()).
          const auto at = app::session::project(camera, in_space(axis, 13, 10 * u + 5, 10 * v + 5));
          REQUIRE(at);
          const int x = int(std::floor(kWidth * (0.5 + at->x)));
          const int y = int(std::floor(0.5 * kHeight - kWidth * at->y));
          if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) continue;
          INFO(perspective << " " << axis << ": " << u << " " << v << " at " << x << " " << y);
          const bool inside = u >= 0 && u < 4 && v >= 0 && v < 4;
          CHECK(pixel(layer, x, y) == (inside ? color_of(4 * u + v) : std::array<int, 4>{}));
          seen += inside;
        }
      CHECK(seen >= 10);
    }
}

TEST_CASE("a slice of a periodic box is the copy nearest to the center", "[slice]") {
  // The center lies near the upper faces: what is drawn reaches half a box to all sides.
  app::session::Camera camera{false, {38, 38, 2}, 90, {}, 40, 70};
  const auto view = app::session::to_view(camera, kWidth, kHeight);
  const Image8 layer = render::slice_layer(some_slice(2, 39, 40), view);
  const auto at = [&](double x, double y) {
    const auto place = app::session::project(camera, {x, y, 2});
    return pixel(layer, int(std::floor(kWidth * (0.5 + place->x))),
                 int(std::floor(0.5 * kHeight - kWidth * place->y)));
  };
  CHECK(at(35, 35) == color_of(15));
  CHECK(at(45, 35) == color_of(3));
  CHECK(at(45, 45) == color_of(0));
  CHECK(at(57, 45) == color_of(4));
  CHECK(at(59, 45) == std::array<int, 4>{});
  CHECK(at(17, 45) == std::array<int, 4>{});
  // Behind the eye nothing is seen.
  camera.distance = 1;
  camera.center = {20, 20, -3};
  const Image8 none =
      render::slice_layer(some_slice(2, 13), app::session::to_view(camera, kWidth, kHeight));
  for (const std::uint8_t value : none.pixels) REQUIRE(value == 0);
}

TEST_CASE("a slice covers the picture as much as its opacity says", "[slice]") {
  const app::session::Camera camera{false, {20, 20, 20}, 90, {}, 40, 70};
  const auto view = app::session::to_view(camera, kWidth, kHeight);
  Image8 picture(kWidth, kHeight, 3);
  for (std::uint8_t& value : picture.pixels) value = 200;
  ShownSlice slice = some_slice(2, 13);
  const auto middle = [&] {
    const Image8 both = render::with_slice(picture, slice, view);
    return int(*both.at(kWidth / 2 + 3, kHeight / 2 - 3));
  };
  const int own = color_of(10)[0];
  CHECK(middle() == own);
  slice.choice.opacity = 0.5;
  CHECK(std::abs(middle() - (own + 200) / 2) <= 1);
  slice.choice.opacity = 0;
  CHECK(middle() == 200);
  CHECK(*render::with_slice(picture, slice, view).at(0, 0) == 200);
  CHECK(render::with_slice(picture, {}, view).pixels == picture.pixels);
  slice.choice.look.color_map = "nonsense";
  CHECK_THROWS_AS(render::slice_layer(slice, view), Error);
}

TEST_CASE("a slice's color follows scale and limits, and what has no logarithm is lowest",
          "[slice]") {
  const app::session::Camera camera{false, {20, 20, 20}, 90, {}, 40, 70};
  const auto view = app::session::to_view(camera, kWidth, kHeight);
  ShownSlice slice = some_slice(2, 13);
  slice.choice.look.scale = compute::splotch::Transform::Log;
  slice.choice.look.limits = std::array<double, 2>{1, 100};
  const Image8 layer = render::slice_layer(slice, view);
  const auto at = [&](double x, double y) {
    const auto place = app::session::project(camera, {x, y, 13});
    return pixel(layer, int(std::floor(kWidth * (0.5 + place->x))),
                 int(std::floor(0.5 * kHeight - kWidth * place->y)));
  };
  CHECK(at(5, 5) == color_of(0));   // of the value 0
  CHECK(at(5, 15) == color_of(0));  // of 1
  const auto color = render::sample(render::find_palette("viridis"), 0.5f);
  CHECK(at(25, 25)[0] == int(std::lround(255 * color[0])));  // of 10
}
