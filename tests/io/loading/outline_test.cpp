// Points inside a line over a picture, beside where the session's camera sees them.

#include "io/loading/outline.h"

#include "app/session/camera_motion.h"
#include "tests/catch.h"

#include <cmath>
#include <random>

using namespace haloscope;
using app::session::Camera;

namespace {

io::Outline outline_of(const Camera& camera) {
  io::Outline outline;
  outline.middle = camera.center;
  outline.right = right_of(camera);
  outline.up = up_of(camera);
  outline.distance = camera.distance;
  outline.width = width_at(camera, camera.distance);
  outline.perspective = camera.perspective;
  return outline;
}

Camera some_camera(bool perspective) {
  Camera camera;
  camera.perspective = perspective;
  camera.center = {8, 9, 2};
  camera.distance = 6;
  camera.ortho_width = 5;
  return app::session::orbit(camera, 35, -20);
}

// Of a rectangle, by the camera's own projection; `side`: of a periodic box.
bool is_seen_in(const Camera& camera, Vec point, double side) {
  for (std::size_t c = 0; c < 3 && side > 0; ++c)
    point[c] -= side * std::round((point[c] - camera.center[c]) / side);
  const auto at = app::session::project(camera, point);
  return at && at->x > -0.2 && at->x < 0.3 && at->y > -0.1 && at->y < 0.25;
}

std::size_t count_differences(bool perspective, double side, std::size_t& inside) {
  const Camera camera = some_camera(perspective);
  io::Outline outline = outline_of(camera);
  outline.corners = {{{-0.2, -0.1}}, {{0.3, -0.1}}, {{0.3, 0.25}}, {{-0.2, 0.25}}};
  SnapshotInfo info;
  info.periodic = side > 0;
  info.box_size = side;
  const io::OutlineTest test(outline, info);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(0, 10);
  std::size_t different = 0;
  for (int k = 0; k < 20000; ++k) {
    const Vec point{place(random), place(random), place(random)};
    const bool seen = is_seen_in(camera, point, side);
    inside += seen;
    different += seen != test.contains(point.data());
  }
  return different;
}

}  // namespace

TEST_CASE("an outline holds what the camera sees inside it", "[outline]") {
  for (const bool perspective : {true, false})
    for (const double side : {0., 10.}) {
      std::size_t inside = 0;
      CHECK(count_differences(perspective, side, inside) == 0);
      CHECK(inside > 200);
    }
}

TEST_CASE("an outline need not be convex, and holds nothing behind the eye", "[outline]") {
  io::Outline outline;
  outline.distance = 2;
  outline.width = 1;
  // A "U" around (0, 0.3).
  outline.corners = {{{-0.4, -0.4}}, {{0.4, -0.4}},  {{0.4, 0.4}},  {{0.2, 0.4}},
                     {{0.2, -0.2}},  {{-0.2, -0.2}}, {{-0.2, 0.4}}, {{-0.4, 0.4}}};
  const io::OutlineTest test(outline, SnapshotInfo());
  const auto holds = [&](double x, double y, double z) {
    const Vec point{x, y, z};
    return test.contains(point.data());
  };
  CHECK(holds(0, -0.3, 0));
  CHECK(holds(-0.3, 0.3, 0));
  CHECK_FALSE(holds(0, 0.3, 0));
  CHECK(holds(0, -0.6, -2));
  CHECK_FALSE(holds(0, -0.6, 0));
  CHECK_FALSE(holds(0, 0.3, 4));
}
