#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// What a film shows at one moment.
struct CameraKey {
  double time = 0;  // seconds
  std::array<double, 3> eye{0, 0, 1}, target{0, 0, 0}, up{0, 1, 0};
  double fov_degrees = 40;        // horizontal, of a perspective
  double ortho_width = 0;         // world length; 0: a perspective
  double exposure_ev = 0;         // powers of two
  std::array<double, 2> range{};  // limits of the color, in the units in which they shall change
  double snapshot = 0;            // place among the film's snapshots, from 0; may be between two

  bool operator==(const CameraKey&) const = default;
};

// A camera that moves through keyframes.
//
// The target, the logarithm of the distance to it (and of an orthographic width), the field of
// view, exposure and limits follow Catmull and Rom's spline, parametrized by time: at a key the
// speed is the derivative of the parabola through it and its neighbors (Barry & Goldman 1988,
// Computer Graphics 22, 199, for uneven knots), turned into the bisector of the two chords and no
// faster than three times the slower of them (the bound of Fritsch & Carlson 1980, SIAM J. Numer.
// Anal. 17, 238), so that nothing overshoots its keys however uneven their times are, and what is
// the same in two keys stands still between them. The rotation goes the shorter way on a great
// circle (slerp, Shoemake 1985), the number of the snapshot linearly. Where an eye is the same in
// two keys it stands still and the camera turns about it.
//
// Everything is double: a camera 1e-6 of the box away from its target moves smoothly.
// Known weakness: slerp turns at a constant rate between two keys, so that the rate jumps at them;
// of a turn by 180° between two keys the axis is left to rounding.
class CameraPath {
 public:
  // Throws Error for no keys, times that do not ascend, and keys of which some are perspective and
  // some orthographic, or that are no cameras; `where` (a file) goes into the messages.
  explicit CameraPath(std::vector<CameraKey> keys, const std::string& where = {});

  // Clamped to the first and last key; exactly a key's values at its time.
  CameraKey at(double time) const;

  const std::vector<CameraKey>& keys() const { return keys_; }
  double begin() const { return keys_.front().time; }
  double end() const { return keys_.back().time; }

  // Frame n shows begin() + n / fps. The last frame is the last one not behind end().
  std::size_t frame_count(double fps) const;
  CameraKey frame(std::size_t n, double fps) const;
  // The first of the frames with the latest place in the series, which may lie between two
  // snapshots. `whole`: the nearest snapshot is shown.
  std::size_t latest_frame(double fps, bool whole) const;

 private:
  std::vector<CameraKey> keys_;
};

// Frame n shows the time `begin` + n / `fps`. The last frame is the last one not behind `end`.
// `begin`, `end`: seconds; `fps` is above 0.
std::size_t frame_count(double begin, double end, double fps);

// The picture of a key.
compute::splotch::View view_of(const CameraKey& key, int width, int height);

}  // namespace haloscope::render
