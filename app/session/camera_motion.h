#pragma once

#include "app/session/camera.h"
#include "render/camera.h"

#include <optional>

// How the camera moves: each function turns a camera into the next one. Angles are degrees, world
// lengths code units, points of the picture lie in widths of the picture from its middle, x to the
// right, y up. A depth is measured from the eye along the line of sight; 0 means the center's.
namespace haloscope::app::session {

struct PicturePoint {
  double x = 0, y = 0;
};

// Where a world point appears; nothing when it lies behind the eye.
std::optional<PicturePoint> project(const Camera& camera, const Vec& point);

// The world point that appears there at a depth.
Vec point_under(const Camera& camera, PicturePoint at, double depth = 0);

// Turntable: about the world's z axis through the center (positive: the picture turns to the right,
// as if dragged), and about the picture's horizontal (positive: the camera rises). Goes over the
// poles without a jump; then the camera is upside down, and who drags holds turn_sign() of the
// drag's beginning.
Camera orbit(const Camera& camera, double yaw, double pitch);
double turn_sign(const Camera& camera);  // −1 upside down, else 1

// Turns the head: about the eye instead of the center. The center goes along.
Camera look(const Camera& camera, double yaw, double pitch);

// About the line of sight; positive: the picture turns clockwise.
Camera roll(const Camera& camera, double degrees);

// Moves the picture by (dx, dy): the point at `depth` that was at p is at p + (dx, dy) after it.
Camera pan(const Camera& camera, double dx, double dy, double depth = 0);

// Enlarges `factor` times about the point at `depth` under `at`, which stays there.
Camera zoom(const Camera& camera, double factor, PicturePoint at = {}, double depth = 0);

// Moves eye and center, in widths of the picture at the center: flying slows down near small
// things.
Camera fly(const Camera& camera, double forward, double right, double up);

// Same picture at the center with the other projection. `extent`: longest side of the scene; the
// orthographic eye is placed so far back that nothing of the scene is behind it.
Camera with_projection(const Camera& camera, bool perspective, double extent);

// Sees all of `bounds` from the same direction.
Camera fit(const Camera& camera, const render::Bounds& bounds, int width, int height);

// The first view of `haloscope render`.
Camera first_camera(const render::Bounds& bounds, int width, int height);

// The same view of a periodic box (side `side`, low corner `origin`) with the center inside it.
Camera wrapped(const Camera& camera, const Vec& origin, double side);

// A camera between two: center straight, distance and width in equal ratios, rotation along the
// great circle; exactly `from` at 0 and `to` at 1. `side` > 0: the center goes the shorter way
// through the edges of a periodic box.
Camera between(const Camera& from, const Camera& to, double fraction, double side = 0);

// A short passage to where the state's camera already is, for the eye only: commands act on the
// state at once, so that a session replays to the same state whatever its frames were.
class Glide {
 public:
  static constexpr double kSeconds = 0.3;

  void start(const Camera& from, double now);
  bool running(double now) const;
  // What to draw: smoothly from the start to `to`, exactly `to` from kSeconds on.
  Camera at(const Camera& to, double now, double side = 0) const;

 private:
  std::optional<Camera> from_;
  double begin_ = 0;  // seconds
};

}  // namespace haloscope::app::session
