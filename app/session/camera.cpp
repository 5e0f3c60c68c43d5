#include "app/session/camera.h"

#include "app/session/rotation.h"

#include <cmath>
#include <numbers>

namespace haloscope::app::session {

Vec right_of(const Camera& camera) {
  return turned(camera.rotation, {1, 0, 0});
}
Vec up_of(const Camera& camera) {
  return turned(camera.rotation, {0, 1, 0});
}
Vec back_of(const Camera& camera) {
  return turned(camera.rotation, {0, 0, 1});
}
Vec eye_of(const Camera& camera) {
  return plus(camera.center, back_of(camera), camera.distance);
}

compute::splotch::View to_view(const Camera& camera, int width, int height) {
  compute::splotch::View view;
  view.eye = eye_of(camera);
  view.target = camera.center;
  view.up = up_of(camera);
  view.perspective = camera.perspective;
  view.fov_degrees = camera.fov_degrees;
  view.ortho_width = camera.perspective ? 0 : camera.ortho_width;
  view.width = width;
  view.height = height;
  return view;
}

Camera from_view(const compute::splotch::View& view) {
  Camera camera;
  const Vec behind = plus(view.eye, view.target, -1);
  camera.perspective = view.perspective;
  camera.center = view.target;
  camera.distance = length(behind);
  camera.rotation = facing(behind, view.up);
  camera.fov_degrees = view.fov_degrees;
  const double seen =
      2 * camera.distance * std::tan(0.5 * view.fov_degrees * std::numbers::pi / 180);
  camera.ortho_width = view.ortho_width > 0 ? view.ortho_width : seen;
  return camera;
}

double width_at(const Camera& camera, double depth) {
  if (!camera.perspective) return camera.ortho_width;
  return 2 * depth * std::tan(0.5 * camera.fov_degrees * std::numbers::pi / 180);
}

}  // namespace haloscope::app::session
