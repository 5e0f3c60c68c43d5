#include "app/session/camera_motion.h"

#include "app/session/rotation.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::session {

namespace {

constexpr Vec kVertical{0, 0, 1};

double or_center(double depth, const Camera& camera) {
  return depth > 0 ? depth : camera.distance;
}

// In the plane of the picture, world lengths.
Vec in_plane(const Camera& camera, double x, double y) {
  return plus(plus({0, 0, 0}, right_of(camera), x), up_of(camera), y);
}

double nearest_image(double difference, double side) {
  return side > 0 ? difference - side * std::round(difference / side) : difference;
}

// The size of what is seen.
double size_of(const Camera& camera) {
  return camera.perspective ? camera.distance : camera.ortho_width;
}

double in_equal_ratios(double from, double to, double fraction) {
  return from * std::pow(to / from, fraction);
}

// How much of the way is still to go while the size goes from 1 to e^`log_ratio`: as the size
// does, so that one point of the picture stays where it is and the eye moves straight.
double way_left(double log_ratio, double fraction) {
  if (std::abs(log_ratio) < 1e-9) return 1 - fraction;
  return std::exp(log_ratio * fraction) * std::expm1(log_ratio * (1 - fraction)) /
         std::expm1(log_ratio);
}

}  // namespace

std::optional<PicturePoint> project(const Camera& camera, const Vec& point) {
  const Vec from_center = plus(point, camera.center, -1);
  const double depth = camera.distance - dot(from_center, back_of(camera));
  if (!(depth > 0)) return {};
  const double width = width_at(camera, depth);
  return PicturePoint{dot(from_center, right_of(camera)) / width,
                      dot(from_center, up_of(camera)) / width};
}

Vec point_under(const Camera& camera, PicturePoint at, double depth) {
  depth = or_center(depth, camera);
  const double width = width_at(camera, depth);
  const Vec point = plus(camera.center, in_plane(camera, at.x * width, at.y * width));
  return plus(point, back_of(camera), camera.distance - depth);
}

Camera orbit(const Camera& camera, double yaw, double pitch) {
  Camera next = camera;
  next.rotation = about(kVertical, -yaw) * camera.rotation * about({1, 0, 0}, -pitch);
  return next;
}

double turn_sign(const Camera& camera) {
  return dot(up_of(camera), kVertical) < 0 ? -1 : 1;
}

Camera look(const Camera& camera, double yaw, double pitch) {
  Camera next = camera;
  next.rotation = about(kVertical, -yaw) * camera.rotation * about({1, 0, 0}, pitch);
  next.center =
      plus(plus(camera.center, back_of(camera), camera.distance), back_of(next), -camera.distance);
  return next;
}

Camera roll(const Camera& camera, double degrees) {
  Camera next = camera;
  next.rotation = camera.rotation * about({0, 0, 1}, degrees);
  return next;
}

Camera pan(const Camera& camera, double dx, double dy, double depth) {
  Camera next = camera;
  const double width = width_at(camera, or_center(depth, camera));
  next.center = plus(camera.center, in_plane(camera, -dx * width, -dy * width));
  return next;
}

Camera zoom(const Camera& camera, double factor, PicturePoint at, double depth) {
  // Everything shrinks towards that point, eye and center too. An orthographic picture does not
  // depend on the depth, and its eye stays out of the scene.
  const double in_front = camera.perspective ? or_center(depth, camera) : camera.distance;
  const double width = width_at(camera, in_front);
  Vec to_point = in_plane(camera, at.x * width, at.y * width);
  to_point = plus(to_point, back_of(camera), camera.distance - in_front);
  Camera next = camera;
  next.center = plus(camera.center, to_point, 1 - 1 / factor);
  if (camera.perspective)
    next.distance = camera.distance / factor;
  else
    next.ortho_width = camera.ortho_width / factor;
  return next;
}

Camera fly(const Camera& camera, double forward, double right, double up) {
  const double width = width_at(camera, camera.distance);
  Camera next = camera;
  next.center = plus(camera.center, in_plane(camera, right * width, up * width));
  next.center = plus(next.center, back_of(camera), -forward * width);
  return next;
}

Camera with_projection(const Camera& camera, bool perspective, double extent) {
  Camera next = camera;
  next.perspective = perspective;
  if (camera.perspective && !perspective) {
    next.ortho_width = width_at(camera, camera.distance);
    next.distance = std::max(camera.distance, 2 * extent);
  } else if (!camera.perspective && perspective) {
    next.distance = camera.ortho_width / width_at(next, 1);
  }
  return next;
}

Camera fit(const Camera& camera, const render::Bounds& bounds, int width, int height) {
  return from_view(render::fitted_view(bounds, to_view(camera, width, height)));
}

Camera first_camera(const render::Bounds& bounds, int width, int height) {
  return from_view(render::choose_view(bounds, {}, width, height));
}

Camera wrapped(const Camera& camera, const Vec& origin, double side) {
  Camera next = camera;
  if (!(side > 0)) return next;
  for (std::size_t c = 0; c < 3; ++c) {
    const double boxes = std::floor((camera.center[c] - origin[c]) / side);
    if (boxes == 0) continue;  // to the bit
    next.center[c] = camera.center[c] - boxes * side;
    // Just below the lower edge rounding ends on the upper one.
    if (!(next.center[c] >= origin[c] && next.center[c] < origin[c] + side))
      next.center[c] = origin[c];
  }
  return next;
}

Camera between(const Camera& from, const Camera& to, double fraction, double side) {
  if (fraction <= 0) return from;
  if (fraction >= 1) return to;
  const Camera start = with_projection(from, to.perspective, 0);
  Camera camera = to;
  const double left = way_left(std::log(size_of(to) / size_of(start)), fraction);
  for (std::size_t c = 0; c < 3; ++c)
    camera.center[c] = to.center[c] + left * nearest_image(start.center[c] - to.center[c], side);
  camera.distance = in_equal_ratios(start.distance, to.distance, fraction);
  camera.ortho_width = in_equal_ratios(start.ortho_width, to.ortho_width, fraction);
  camera.fov_degrees = start.fov_degrees + fraction * (to.fov_degrees - start.fov_degrees);
  camera.rotation = between(start.rotation, to.rotation, fraction);
  return camera;
}

void Glide::start(const Camera& from, double now) {
  from_ = from;
  begin_ = now;
}

bool Glide::running(double now) const {
  return from_ && now < begin_ + kSeconds;
}

Camera Glide::at(const Camera& to, double now, double side) const {
  if (!running(now)) return to;
  const double t = std::clamp((now - begin_) / kSeconds, 0., 1.);
  return between(*from_, to, t * t * (3 - 2 * t), side);
}

}  // namespace haloscope::app::session
