#include "app/viewer/tasks/depth_job.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haloscope::app::viewer {

namespace {

using session::Camera;

constexpr int kSide = 15;  // pixels of the picture around the place, and of what is drawn
// Of the depth: finer than a pixel shows when what was found is in the middle.
constexpr double kExact = 1e-4;

// The surroundings of the place, cut out of the picture: depths and slabs are measured along the
// picture's line of sight, and not along the ray to the place.
compute::splotch::View keyhole(const DepthRequest& request) {
  const Camera& camera = request.camera;
  auto view = session::to_view(camera, kSide, kSide);
  const double part = double(kSide) / request.width;
  const double tangent = std::tan(camera.fov_degrees * std::numbers::pi / 360);
  view.fov_degrees = 2 * std::atan(part * tangent) * 180 / std::numbers::pi;
  view.ortho_width *= part;
  view.line_of_sight = {-request.at.x * request.width, request.at.y * request.width};
  return view;
}

double light_up_to(OpenScene& open, const DepthRequest& request, compute::splotch::View view,
                   double depth, Progress& progress) {
  view.z_far = depth;
  const auto frame = draw_scene(open, request.looks, view, false, progress);
  double sum = 0;
  for (const float value : frame.image.pixels)
    if (std::isfinite(value)) sum += double(value);
  return sum;
}

}  // namespace

std::optional<Vec> point_seen(OpenScene& open, const DepthRequest& request, Progress& progress) {
  const auto view = keyhole(request);
  const auto& bounds = open.model.bounds;
  double extent = open.model.info.box_size;
  for (std::size_t c = 0; c < 3; ++c) extent = std::max(extent, bounds.high[c] - bounds.low[c]);
  double low = 0, high = request.camera.distance + 4 * extent;
  const double all = light_up_to(open, request, view, high, progress);
  if (!(all > 0)) return {};
  while (high - low > kExact * high) {
    const double middle = 0.5 * (low + high);
    (light_up_to(open, request, view, middle, progress) < 0.5 * all ? low : high) = middle;
  }
  return session::point_under(request.camera, request.at, 0.5 * (low + high));
}

}  // namespace haloscope::app::viewer
