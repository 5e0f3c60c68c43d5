#pragma once

#include "app/session/camera_motion.h"
#include "app/viewer/tasks/scene_job.h"

#include <optional>

namespace haloscope::app::viewer {

// What is seen at a place of a picture.
struct DepthRequest {
  session::Camera camera;
  session::PicturePoint at;
  int width = 1;  // of the picture, pixels
  Looks looks;
};

// The world point on the line of sight through that place at the median depth of the light around
// it, so that a halo before an empty background is met and not the middle of the box; nothing where
// no light is. Halves the depth again and again and draws a few pixels up to it (z_far).
// Throws Cancelled.
std::optional<Vec> point_seen(OpenScene& open, const DepthRequest& request, Progress& progress);

}  // namespace haloscope::app::viewer
