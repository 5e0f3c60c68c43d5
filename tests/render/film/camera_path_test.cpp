#include "render/film/camera_path.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cmath>
#include <numbers>

// Camera paths against the mathematics that they follow.

using namespace haloscope;
using render::CameraKey;
using render::CameraPath;

namespace {

using Vec = std::array<double, 3>;

Vec minus(const Vec& a, const Vec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double length(const Vec& v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Looks along −y at (x, 0, 0) from a distance.
CameraKey key(double time, double x, double distance = 1) {
  CameraKey k;
  k.time = time;
  k.target = {x, 0, 0};
  k.eye = {x, distance, 0};
  k.up = {0, 0, 1};
  return k;
}

CameraKey on_circle(double time, double angle, const Vec& center, double radius) {
  CameraKey k;
  k.time = time;
  k.target = center;
  k.eye = {center[0] + radius * std::cos(angle), center[1] + radius * std::sin(angle), center[2]};
  k.up = {0, 0, 1};
  return k;
}

}  // namespace

TEST_CASE("a path is exactly its keys at their times", "[render][path]") {
  CameraKey middle = key(0.3, 0.1, 0.7);
  middle.up = {0.1, 0.2, 1.5};
  middle.exposure_ev = 0.7;
  middle.range = {0.1, 0.9};
  middle.snapshot = 1.1;
  const CameraPath path({key(0, 0.2), middle, key(1.7, 0.9)});
  for (const CameraKey& k : path.keys()) CHECK(path.at(k.time) == k);
  CHECK(path.at(-1) == path.keys().front());
  CHECK(path.at(2) == path.keys().back());
  // 3 · 0.1 is not 0.3, yet frame 3 at 10 a second is the key.
  CHECK(path.frame(3, 10) == middle);
}

TEST_CASE("frame n is at n over fps, the last one not behind the end", "[render][path]") {
  const CameraPath path({key(0, 0), key(2.3, 1)});
  CHECK(path.frame_count(10) == 24);
  CHECK(path.frame_count(24) == 56);  // 55.2
  CHECK(path.frame(7, 24).time == 7. / 24);
  CHECK(CameraPath({key(0, 0)}).frame_count(30) == 1);
  CHECK(CameraPath({key(1, 0), key(3, 1)}).frame(3, 4).time == 1.75);
}

TEST_CASE("the latest frame is the first of the largest place in the series", "[render][path]") {
  CameraKey first = key(0, 0), second = key(1, 1), third = key(2, 2);
  second.snapshot = third.snapshot = 2;
  CHECK(CameraPath({first, second, third}).latest_frame(4, false) == 4);
  // From place 1.5 on the nearest snapshot is the second one.
  CHECK(CameraPath({first, second, third}).latest_frame(4, true) == 3);
  third.snapshot = 1;
  CHECK(CameraPath({first, second, third}).latest_frame(3, false) == 3);
  CHECK(CameraPath({first, key(1, 0)}).latest_frame(5, false) == 0);
}

TEST_CASE("positions follow Catmull and Rom's spline", "[render][path]") {
  const CameraPath path({key(0, 0), key(1, 1), key(2, 3), key(3, 6)});
  // (−p0 + 9 p1 + 9 p2 − p3) / 16 halfway between p1 and p2.
  CHECK(path.at(1.5).target[0] == Approx((-0. + 9 * 1 + 9 * 3 - 6) / 16).epsilon(1e-14));
  // The speed does not jump at a key: differences of either side over 2e-5 s, curvature about 1.
  const double h = 1e-5;
  const double before = (path.at(1).target[0] - path.at(1 - h).target[0]) / h;
  const double after = (path.at(1 + h).target[0] - path.at(1).target[0]) / h;
  CHECK(before == Approx(1.5).margin(1e-4));
  CHECK(after == Approx(1.5).margin(1e-4));
}

TEST_CASE("a constant speed stays constant however uneven the keys' times are", "[render][path]") {
  const CameraPath path({key(0, 0), key(0.01, 0.01), key(3, 3), key(3.5, 3.5), key(10, 10)});
  for (double t = 0; t < 10; t += 0.037) CHECK(std::abs(path.at(t).target[0] - t) < 1e-14);
}

TEST_CASE("nothing overshoots its keys", "[render][path]") {
  // A hold, a jump, a fast way back: each between times that differ a hundredfold.
  std::vector<CameraKey> keys{key(0, 0),   key(1, 0),      key(1.01, 1),
                              key(3, 1.1), key(3.02, 0.4), key(5, 0.4)};
  for (auto& k : keys) k.fov_degrees = 20 + 30 * k.target[0];
  const CameraPath path(keys);
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const double a = keys[i].target[0], b = keys[i + 1].target[0];
    for (int step = 0; step <= 100; ++step) {
      const double t = keys[i].time + (keys[i + 1].time - keys[i].time) * step / 100.;
      const CameraKey k = path.at(t);
      CHECK(k.target[0] >= std::min(a, b) - 1e-14);
      CHECK(k.target[0] <= std::max(a, b) + 1e-14);
      CHECK(k.fov_degrees >= 20 + 30 * std::min(a, b) - 1e-12);
      CHECK(k.fov_degrees <= 20 + 30 * std::max(a, b) + 1e-12);
    }
  }
  CHECK(path.at(0.5).target == keys[0].target);
}

TEST_CASE("a corner is rounded at full speed, not stopped at", "[render][path]") {
  CameraKey last = key(2, 1);
  last.target[2] = last.eye[2] = 1;
  const CameraPath path({key(0, 0), key(1, 1), last});
  const double h = 1e-6;
  const Vec step = minus(path.at(1 + h).target, path.at(1).target);
  CHECK(step[0] / h == Approx(0.5).margin(1e-4));
  CHECK(step[2] / h == Approx(0.5).margin(1e-4));
}

TEST_CASE("distances shrink in equal ratios", "[render][path]") {
  const CameraPath path({key(0, 0.5, 1), key(6, 0.5, 1e-6)});
  for (int t = 0; t <= 6; ++t) {
    const CameraKey k = path.at(t);
    CHECK(length(minus(k.eye, k.target)) == Approx(std::pow(10., -t)).epsilon(1e-9));
  }
}

TEST_CASE("rotations go along the great circle at one rate", "[render][path]") {
  const Vec center{1, 2, 3};
  const double quarter = std::numbers::pi / 2;
  const CameraPath path({on_circle(0, 0, center, 2), on_circle(1, quarter, center, 2),
                         on_circle(2, 2 * quarter, center, 2)});
  for (int n = 0; n <= 20; ++n) {
    const CameraKey k = path.at(n * 0.1);
    const CameraKey exact = on_circle(0, n * 0.1 * quarter, center, 2);
    CHECK(length(minus(k.eye, exact.eye)) < 1e-14);
    CHECK(k.target == center);
    CHECK(k.up[2] == Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("an eye that stays turns in place", "[render][path]") {
  CameraKey a = key(0, 0), b = a;
  b.time = 1;
  b.target = {1, 1, 0};
  const CameraPath path({a, b});
  const CameraKey half = path.at(0.5);
  CHECK(half.eye == a.eye);
  const Vec ahead = minus(half.target, half.eye);
  CHECK(ahead[0] == Approx(-ahead[1]).epsilon(1e-12));
}

TEST_CASE("a millionth of the box away nothing jitters", "[render][path]") {
  const Vec center{0.7123456789, 0.3, 0.1};
  const double radius = 1e-6;
  const CameraPath path({on_circle(0, 0, center, radius), on_circle(10, 1, center, radius)});
  const std::size_t frames = path.frame_count(60);
  // Rounding of a coordinate near 1 is 1.1e-16: 1.1e-10 of the distance; a second difference has
  // four such, beside the circle's own (1/600)².
  const double step = 1. / double(frames - 1);
  for (std::size_t n = 1; n + 1 < frames; ++n) {
    const Vec a = path.frame(n - 1, 60).eye, b = path.frame(n, 60).eye,
              c = path.frame(n + 1, 60).eye;
    const Vec bend = minus(minus(c, b), minus(b, a));
    CHECK(std::abs(length(bend) / radius - step * step) < 1e-9);
  }
}

TEST_CASE("paths that are none are told", "[render][path]") {
  using haloscope::test::message_of;
  CHECK(message_of([] { CameraPath({}, "p.toml"); }).find("p.toml") != std::string::npos);
  CHECK(message_of([] {
          CameraPath({key(1, 0), key(1, 1)});
        }).find("ascending") != std::string::npos);
  CameraKey ortho = key(2, 0);
  ortho.ortho_width = 1;
  CHECK(message_of([&] {
          CameraPath({key(1, 0), ortho});
        }).find("orthographic") != std::string::npos);
  CameraKey blind = key(0, 0);
  blind.eye = blind.target;
  CHECK(message_of([&] { CameraPath({blind}); }).find("same point") != std::string::npos);
  CameraKey dizzy = key(0, 0);
  dizzy.up = {0, 3, 0};
  CHECK(message_of([&] { CameraPath({dizzy}); }).find("line of sight") != std::string::npos);
}
