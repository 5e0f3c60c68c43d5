#include "app/session/camera_motion.h"
#include "app/session/rotation.h"
#include "tests/catch.h"

#include <cmath>
#include <random>

// How the camera moves, by the mathematics of projections and rotations.

using namespace haloscope::app::session;
using haloscope::length;
using haloscope::render::Bounds;

namespace {

// Somewhere in a box of side 1e5, looking somewhere, at a millionth of the box.
Camera some_camera(unsigned seed, bool perspective = true) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(0, 1e5), angle(-180, 180);
  Camera camera;
  camera.perspective = perspective;
  camera.center = {place(random), place(random), place(random)};
  camera.distance = 0.1;
  camera.ortho_width = 0.08;
  camera = orbit(camera, angle(random), angle(random));
  return roll(camera, angle(random));
}

double apart(const Vec& a, const Vec& b) {
  return length(plus(a, b, -1));
}
double apart(PicturePoint a, PicturePoint b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// Doubles near 1e5 are 1.5e-11 apart; four such roundings beside the narrowest picture, 0.02 wide.
constexpr double kPlace = 3e-9;

// Ten before the origin, looking along y.
Camera front_camera() {
  haloscope::compute::splotch::View view;
  view.eye = {0, -10, 0};
  view.up = {0, 0, 1};
  return from_view(view);
}

}  // namespace

TEST_CASE("a point under the cursor is projected back to the cursor") {
  for (const bool perspective : {true, false})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Camera camera = some_camera(seed, perspective);
      const PicturePoint at{0.37, -0.21};
      for (const double depth : {0., 0.03, 0.2}) {
        const auto seen = project(camera, point_under(camera, at, depth));
        REQUIRE(seen);
        CHECK(apart(*seen, at) < kPlace);
      }
    }
}

TEST_CASE("what lies behind the eye is not seen") {
  const Camera camera = some_camera(1);
  CHECK_FALSE(project(camera, plus(camera.center, back_of(camera), 2 * camera.distance)));
}

TEST_CASE("panning takes the point under the cursor along") {
  for (const bool perspective : {true, false})
    for (unsigned seed = 1; seed <= 20; ++seed)
      for (const double depth : {0., 0.03, 0.2}) {
        const Camera camera = some_camera(seed, perspective);
        const Vec point = point_under(camera, {0.1, 0.2}, depth);
        const auto seen = project(pan(camera, 0.25, -0.5, depth), point);
        REQUIRE(seen);
        CHECK(apart(*seen, {0.35, -0.3}) < kPlace);
      }
}

TEST_CASE("zooming leaves the point under the cursor where it is") {
  for (const bool perspective : {true, false})
    for (unsigned seed = 1; seed <= 20; ++seed)
      for (const double factor : {0.3, 1.1, 4.})
        for (const double depth : {0., 0.03, 0.2}) {
          const Camera camera = some_camera(seed, perspective);
          const Camera next = zoom(camera, factor, {0.4, -0.3}, depth);
          const Vec point = point_under(camera, {0.4, -0.3}, depth);
          const auto seen = project(next, point);
          REQUIRE(seen);
          CHECK(apart(*seen, {0.4, -0.3}) < kPlace * std::max(1., factor));
          // And what is beside it at that depth is seen `factor` times as far away.
          const auto beside = project(next, point_under(camera, {0.4, -0.2}, depth));
          REQUIRE(beside);
          CHECK(beside->y - seen->y == Approx(0.1 * factor).epsilon(1e-7));
        }
}

TEST_CASE("orbiting keeps center and distance, and yaw turns about the vertical") {
  const Camera camera = some_camera(3);
  const Camera next = orbit(camera, 30, 10);
  CHECK(next.center == camera.center);
  CHECK(next.distance == camera.distance);
  CHECK(std::abs(back_of(orbit(camera, 77, 0))[2] - back_of(camera)[2]) < 1e-14);
  // A point before the center goes to the right with a positive yaw, down with a positive pitch.
  Camera front = front_camera();
  CHECK(project(orbit(front, 5, 0), {0, -1, 0})->x > 0);
  CHECK(project(orbit(front, 0, 5), {0, -1, 0})->y < 0);
  CHECK(eye_of(orbit(front, 0, 5))[2] > 0);
}

TEST_CASE("the camera goes over the poles without a jump") {
  Camera camera = front_camera();
  bool upside_down = false;
  for (int step = 0; step < 3600; ++step) {
    const Camera next = orbit(camera, 0, 0.1);
    // A step of 0.1 degrees moves each axis by as much, at the pole too.
    for (const auto& axis : {right_of, up_of, back_of})
      CHECK(apart(axis(camera), axis(next)) < 0.1001 * 3.14159265358979 / 180);
    camera = next;
    upside_down = upside_down || turn_sign(camera) < 0;
  }
  CHECK(upside_down);
  // All around, 3600 roundings of 1e-16 later.
  CHECK(apart(eye_of(camera), {0, -10, 0}) < 1e-11);
  // Straight from above a yaw turns the picture only.
  const Camera pole = orbit(camera, 0, 90);
  CHECK(std::abs(back_of(orbit(pole, 40, 0))[2] - 1) < 1e-14);
}

TEST_CASE("a rotation stays one after a hundred thousand steps") {
  Camera camera = some_camera(5);
  for (int step = 0; step < 100000; ++step) camera = orbit(camera, 0.37, -0.11);
  CHECK(std::abs(length(back_of(camera)) - 1) < 1e-14);
  CHECK(std::abs(dot(back_of(camera), up_of(camera))) < 1e-14);
}

TEST_CASE("looking around keeps the eye") {
  const Camera camera = some_camera(4);
  CHECK(apart(eye_of(look(camera, 20, -35)), eye_of(camera)) < 1e-10);
  const Camera front = front_camera();
  CHECK(back_of(look(front, 10, 0))[0] < 0);  // to the right
  CHECK(back_of(look(front, 0, 10))[2] < 0);  // up
}

TEST_CASE("rolling turns the picture clockwise about its middle") {
  const Camera camera = some_camera(6);
  const auto seen = project(roll(camera, 90), point_under(camera, {0, 0.2}));
  REQUIRE(seen);
  CHECK(apart(*seen, {0.2, 0}) < kPlace);
}

TEST_CASE("flying moves by widths of the picture") {
  Camera camera = front_camera();
  const double width = width_at(camera, 10);
  CHECK(apart(fly(camera, 1, 0, 0).center, {0, width, 0}) < 1e-14 * width);
  CHECK(apart(fly(camera, 0, 1, 0).center, {width, 0, 0}) < 1e-14 * width);
  CHECK(apart(fly(camera, 0, 0, 1).center, {0, 0, width}) < 1e-14 * width);
  camera.distance = 1e-5;
  CHECK(length(fly(camera, 1, 0, 0).center) == Approx(1e-6 * width));
}

TEST_CASE("changing the projection keeps the size at the center") {
  const Camera camera = some_camera(7);
  const Camera flat = with_projection(camera, false, 1e5);
  CHECK(flat.distance >= 2e5);
  const Vec point = point_under(camera, {0.3, 0.1});
  CHECK(apart(*project(flat, point), {0.3, 0.1}) < kPlace);
  const Camera back = with_projection(flat, true, 1e5);
  CHECK(back.distance == Approx(camera.distance).epsilon(1e-14));
}

TEST_CASE("fitting shows all corners and keeps the direction") {
  const Bounds bounds{{10, 20, 30}, {14, 21, 33}};
  for (const bool perspective : {true, false})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Camera camera = some_camera(seed, perspective);
      const Camera fitted = fit(camera, bounds, 400, 300);
      CHECK(apart(back_of(fitted), back_of(camera)) < 1e-9);
      CHECK(apart(up_of(fitted), up_of(camera)) < 1e-9);
      double used = 0;
      for (int corner = 0; corner < 8; ++corner) {
        Vec p{};
        for (std::size_t c = 0; c < 3; ++c)
          p[c] = (corner >> c) & 1 ? bounds.high[c] : bounds.low[c];
        const auto seen = project(fitted, p);
        REQUIRE(seen);
        used = std::max({used, 2 * std::abs(seen->x), 2 * std::abs(seen->y) * 400 / 300});
      }
      CHECK(used <= 1);
      CHECK(used > 0.95);
    }
}

TEST_CASE("a view and its camera are the same") {
  const Camera camera = some_camera(8);
  const auto view = to_view(camera, 800, 600);
  const Camera back = from_view(view);
  CHECK(back.center == camera.center);
  // The eye was rounded where coordinates are 1e5.
  CHECK(std::abs(back.distance - camera.distance) < 1e-10);
  CHECK(apart(up_of(back), up_of(camera)) < kPlace);
  CHECK(apart(right_of(back), right_of(camera)) < kPlace);
}

TEST_CASE("the center wraps in a periodic box") {
  Camera camera;
  camera.center = {-30, 250, 99};
  const Camera inside = wrapped(camera, {0, 0, 0}, 100);
  CHECK(inside.center == Vec{70, 50, 99});
  camera.center = {-1e-20, 100, 0};
  CHECK(wrapped(camera, {0, 0, 0}, 100).center == Vec{0, 0, 0});
  camera.center = {0.1 + 0.2, 1. / 3, 2. / 3};
  CHECK(wrapped(camera, {0, 0, 0}, 100) == camera);
  CHECK(wrapped(camera, {0, 0, 0}, 0) == camera);
}

TEST_CASE("a glide begins and ends exactly, and is smooth") {
  const Camera from = some_camera(9);
  Camera to = some_camera(10);
  to.distance = 1e-3;
  Glide glide;
  CHECK(glide.at(to, 5) == to);
  glide.start(from, 100);
  CHECK(glide.running(100));
  CHECK(glide.at(to, 100) == from);
  CHECK(glide.at(to, 100 + Glide::kSeconds) == to);
  CHECK_FALSE(glide.running(100 + Glide::kSeconds));
  // Near both ends next to nothing happens: the path is smooth in time.
  const double way = apart(from.center, to.center);
  CHECK(apart(glide.at(to, 100.001).center, from.center) < 1e-3 * way);
  CHECK(apart(glide.at(to, 100.299).center, to.center) < 1e-3 * way);
}

TEST_CASE("between two cameras sizes go in equal ratios and rotations along the great circle") {
  Camera from, to;
  from.distance = 1000;
  to.distance = 0.1;
  to.rotation = about({0, 0, 1}, 90);
  to.center = {50, 0, 0};
  CHECK(between(from, to, 0.25).distance == Approx(100));
  CHECK(between(from, to, 0.5).distance == Approx(10));
  const Camera third = between(from, to, 1. / 3);
  CHECK(apart(right_of(third), {std::cos(0.5235987755982988), 0.5, 0}) < 1e-14);
  // The eye moves straight towards where the size would be nothing: a fixed point of the zoom.
  const double fixed = 50 / (1 - 0.1 / 1000);
  CHECK(between(from, to, 0.5).center[0] == Approx(fixed * (1 - 0.01)));
  // The other way around the circle is longer.
  to.rotation = about({0, 0, 1}, 350);
  CHECK(right_of(between(from, to, 0.5))[1] == Approx(-std::sin(5 * 3.14159265358979 / 180)));
  // Through the edge of a periodic box.
  from.center = {95, 0, 0};
  to.center = {5, 0, 0};
  to.distance = 1000;
  CHECK(between(from, to, 0.5, 100).center[0] == Approx(0).margin(1e-12));
}

TEST_CASE("a drag at a millionth of the box does not jitter") {
  // A thousand equal steps: each picture is moved by the step to a thousandth of a pixel.
  Camera camera = some_camera(11);
  const Vec point = point_under(camera, {-0.4, 0.1});
  for (int step = 1; step <= 1000; ++step) {
    camera = pan(camera, 0.0008, 0);
    const auto seen = project(camera, point);
    REQUIRE(seen);
    CHECK(std::abs(seen->x - (-0.4 + 0.0008 * step)) < 1e-3 / 1920);
  }
}
