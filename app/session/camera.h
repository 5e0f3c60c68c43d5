#pragma once

#include "compute/splotch/settings.h"
#include "core/vector.h"

namespace haloscope::app::session {

using haloscope::Vec;

// A unit quaternion that turns camera axes (x right, y up, z towards the viewer) into world axes.
struct Rotation {
  double w = 1, x = 0, y = 0, z = 0;
  bool operator==(const Rotation&) const = default;
};

// The camera by the point that it turns about, so that its place relative to that point keeps its
// precision however small a part of the box is seen. World lengths are the snapshot's code units.
struct Camera {
  bool perspective = true;
  Vec center{0, 0, 0};      // in the middle of the picture
  double distance = 1;      // from the eye to the center; what lies behind the eye is not shown
  Rotation rotation;        // default: along −z, y up
  double fov_degrees = 40;  // horizontal, perspective
  double ortho_width = 1;   // of the picture in world lengths, orthographic
  bool operator==(const Camera&) const = default;
};

// World directions of the camera's axes.
Vec right_of(const Camera& camera);
Vec up_of(const Camera& camera);
Vec back_of(const Camera& camera);
Vec eye_of(const Camera& camera);

// What the renderers take, and back. `from_view` keeps the distance between eye and target; an
// orthographic view without a width gets the perspective's at the target.
compute::splotch::View to_view(const Camera& camera, int width, int height);
Camera from_view(const compute::splotch::View& view);

// World width of the picture at a depth (distance from the eye along the line of sight).
double width_at(const Camera& camera, double depth);

}  // namespace haloscope::app::session
