#include "render/film/camera_path.h"

#include "core/error.h"
#include "core/vector.h"

#include <fmt/format.h>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haloscope::render {

namespace {

glm::dvec3 to_glm(const Vec& v) {
  return {v[0], v[1], v[2]};
}
Vec from_glm(const glm::dvec3& v) {
  return {v.x, v.y, v.z};
}

double distance(const CameraKey& key) {
  return glm::length(to_glm(key.eye) - to_glm(key.target));
}

// Camera axes (right, up, back) as a rotation of the world's.
glm::dquat rotation(const CameraKey& key) {
  const glm::dvec3 back = glm::normalize(to_glm(key.eye) - to_glm(key.target));
  const glm::dvec3 right = glm::normalize(glm::cross(to_glm(key.up), back));
  return glm::normalize(glm::quat_cast(glm::dmat3(right, glm::cross(back, right), back)));
}

template <std::size_t N>
using Point = std::array<double, N>;

template <std::size_t N>
double norm(const Point<N>& p) {
  double sum = 0;
  for (double x : p) sum += x * x;
  return std::sqrt(sum);
}

template <std::size_t N>
Point<N> chord_speed(const Point<N>& a, const Point<N>& b, double seconds) {
  Point<N> speed{};
  for (std::size_t i = 0; i < N; ++i) speed[i] = (b[i] - a[i]) / seconds;
  return speed;
}

// Velocity at a key between chords of the speeds `before` and `after`, which last so many seconds.
template <std::size_t N>
Point<N> key_speed(const Point<N>& before, double seconds_before, const Point<N>& after,
                   double seconds_after) {
  const double first = norm(before), second = norm(after);
  Point<N> bisector{};
  if (!(first > 0) || !(second > 0)) return bisector;
  for (std::size_t i = 0; i < N; ++i) bisector[i] = before[i] / first + after[i] / second;
  const double length = norm(bisector);
  // Straight back: stand for a moment.
  if (length < 1e-12) return {};
  double speed = 0;
  for (std::size_t i = 0; i < N; ++i)
    speed += (seconds_after * before[i] + seconds_before * after[i]) /
             (seconds_before + seconds_after) * bisector[i] / length;
  speed = std::clamp(speed, 0., 3 * std::min(first, second));
  for (double& x : bisector) x *= speed / length;
  return bisector;
}

// A value of the keys between key k and k + 1, as Hermite's cubic.
template <std::size_t N, class Value>
Point<N> spline(const std::vector<CameraKey>& keys, std::size_t k, double time,
                const Value& value) {
  const Point<N> a = value(keys[k]), b = value(keys[k + 1]);
  if (a == b) return a;
  const auto seconds = [&](std::size_t i) { return keys[i + 1].time - keys[i].time; };
  const double h = seconds(k);
  const Point<N> chord = chord_speed(a, b, h);
  Point<N> start = chord, end = chord;
  if (k > 0)
    start = key_speed(chord_speed(value(keys[k - 1]), a, seconds(k - 1)), seconds(k - 1), chord, h);
  if (k + 2 < keys.size())
    end = key_speed(chord, h, chord_speed(b, value(keys[k + 2]), seconds(k + 1)), seconds(k + 1));
  const double s = (time - keys[k].time) / h;
  Point<N> p{};
  // Written as the straight line and the departures from it, so that rounding is relative to the
  // chord and not to where it lies.
  for (std::size_t i = 0; i < N; ++i)
    p[i] = a[i] + (b[i] - a[i]) * s +
           h * s * (1 - s) * ((start[i] - chord[i]) * (1 - s) - (end[i] - chord[i]) * s);
  return p;
}

template <class Value>
double spline_of(const std::vector<CameraKey>& keys, std::size_t k, double time,
                 const Value& value) {
  return spline<1>(keys, k, time, [&](const CameraKey& key) { return Point<1>{value(key)}; })[0];
}

void require_camera(const CameraKey& key, const std::string& where) {
  const auto finite = [](const Vec& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
  };
  const std::string which = fmt::format("the key at {} s", key.time);
  if (!std::isfinite(key.time) || !finite(key.eye) || !finite(key.target) || !finite(key.up))
    throw Error(which + " has a value that is no finite number", where);
  if (!(distance(key) > 0))
    throw Error("eye and target of " + which + " are the same point", where, "move one of them");
  const glm::dvec3 back = glm::normalize(to_glm(key.eye) - to_glm(key.target));
  const glm::dvec3 up = to_glm(key.up);
  if (!(glm::length(up) > 0) || !(glm::length(glm::cross(glm::normalize(up), back)) > 1e-10))
    throw Error("up of " + which + " is along the line of sight", where,
                "choose another direction");
  if (key.ortho_width < 0 || !std::isfinite(key.ortho_width))
    throw Error("the orthographic width of " + which + " is not positive", where);
  if (key.ortho_width == 0 && !(key.fov_degrees > 0 && key.fov_degrees < 180))
    throw Error("the field of view of " + which + " does not lie between 0 and 180 degrees", where);
}

}  // namespace

CameraPath::CameraPath(std::vector<CameraKey> keys, const std::string& where)
    : keys_(std::move(keys)) {
  if (keys_.empty()) throw Error("a path needs a key", where, "add a [[key]] with eye and target");
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    require_camera(keys_[k], where);
    if (k == 0) continue;
    if (!(keys_[k].time > keys_[k - 1].time))
      throw Error(
          fmt::format("the key at {} s follows one at {} s", keys_[k].time, keys_[k - 1].time),
          where, "give ascending times");
    if ((keys_[k].ortho_width > 0) != (keys_[0].ortho_width > 0))
      throw Error("some keys are perspective and some orthographic", where,
                  "give all of them fov, or all of them ortho");
  }
}

CameraKey CameraPath::at(double time) const {
  // n / fps and a time that was typed differ by rounding.
  constexpr double kSame = 4 * std::numeric_limits<double>::epsilon();
  const auto same = [&](const CameraKey& key) {
    return std::abs(key.time - time) <= kSame * std::abs(key.time);
  };
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), time,
                                      [](double t, const CameraKey& key) { return t < key.time; });
  if (after == keys_.begin()) return keys_.front();
  const auto k = std::size_t(after - keys_.begin()) - 1;
  if (after == keys_.end() || same(keys_[k])) return keys_[k];
  if (same(keys_[k + 1])) return keys_[k + 1];

  const CameraKey &a = keys_[k], &b = keys_[k + 1];
  const double s = (time - a.time) / (b.time - a.time);
  CameraKey key = a;
  key.time = time;
  const glm::dquat turn = glm::slerp(rotation(a), rotation(b), s);
  const glm::dvec3 back = turn * glm::dvec3(0, 0, 1);
  const double far = std::exp(
      spline_of(keys_, k, time, [](const CameraKey& one) { return std::log(distance(one)); }));
  if (a.eye != b.eye) {
    key.target = spline<3>(keys_, k, time, [](const CameraKey& one) { return one.target; });
    key.eye = from_glm(to_glm(key.target) + far * back);
  } else if (a.target != b.target) {
    key.target = from_glm(to_glm(a.eye) - far * back);
  }
  key.up = from_glm(turn * glm::dvec3(0, 1, 0));
  key.fov_degrees = spline_of(keys_, k, time, [](const CameraKey& one) { return one.fov_degrees; });
  if (a.ortho_width > 0)
    key.ortho_width = std::exp(
        spline_of(keys_, k, time, [](const CameraKey& one) { return std::log(one.ortho_width); }));
  key.exposure_ev = spline_of(keys_, k, time, [](const CameraKey& one) { return one.exposure_ev; });
  for (std::size_t i = 0; i < 2; ++i)
    key.range[i] = spline_of(keys_, k, time, [i](const CameraKey& one) { return one.range[i]; });
  key.snapshot = a.snapshot + (b.snapshot - a.snapshot) * s;
  return key;
}

std::size_t CameraPath::frame_count(double fps) const {
  return render::frame_count(begin(), end(), fps);
}

CameraKey CameraPath::frame(std::size_t n, double fps) const {
  return at(begin() + double(n) / fps);
}

std::size_t CameraPath::latest_frame(double fps, bool whole) const {
  const auto place = [&](std::size_t n) {
    const double snapshot = frame(n, fps).snapshot;
    return whole ? std::floor(snapshot + 0.5) : snapshot;
  };
  std::size_t latest = 0;
  for (std::size_t n = 1; n < frame_count(fps); ++n)
    if (place(n) > place(latest)) latest = n;
  return latest;
}

std::size_t frame_count(double begin, double end, double fps) {
  // A last key that rounding puts a hair behind a frame's time is still reached.
  return std::size_t((end - begin) * fps * (1 + 1e-12) + 1e-9) + 1;
}

compute::splotch::View view_of(const CameraKey& key, int width, int height) {
  compute::splotch::View view;
  view.eye = key.eye;
  view.target = key.target;
  view.up = key.up;
  view.perspective = !(key.ortho_width > 0);
  view.fov_degrees = key.fov_degrees;
  view.ortho_width = key.ortho_width;
  view.width = width;
  view.height = height;
  return view;
}

}  // namespace haloscope::render
