#pragma once

#include "app/session/camera.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// When pictures came onto the screen, for --stats. Times in seconds since the program began.
class FrameLog {
 public:
  // The camera that is to be seen at this time.
  void want(const session::Camera& camera, double now);
  // What was found was asked for in another way, as a cut at another height …
  void asked_for_pieces(double now) { pieces_asked_at_ = now; }
  // … and the picture that is asked for now shows it.
  void want_pieces() {
    if (!pieces_asked_at_) return;
    if (!pieces_wanted_since_) pieces_wanted_since_ = pieces_asked_at_;
    pieces_coarse_since_ = pieces_asked_at_;
    pieces_asked_at_.reset();
  }
  // A new picture is on screen; `full`: of what is wanted, in full quality.
  void shown(double now, double drawing_ms, bool full);

  // Intervals between pictures while the camera moves (median, 99th percentile, longest, ms), how
  // long each picture took to be drawn, the time from the last change of the camera to the picture
  // in full, from a change of what was found to the picture that shows it, from the last of such
  // changes to the picture in full, and when the first picture came. `interop`: pictures stayed on
  // the GPU; `renderer`: OpenGL's name.
  void write(const std::string& path, bool interop, const std::string& renderer) const;

 private:
  std::optional<session::Camera> camera_;
  double changed_at_ = 0;
  bool moved_ = false;  // the camera, since it was first there
  std::optional<double> first_, last_;
  std::vector<double> intervals_, drawing_, refining_;   // ms
  std::vector<double> recoloring_, recoloring_in_full_;  // ms
  // Of pieces that no picture was asked to show yet, and of those of the picture that is drawn. A
  // picture that was asked for before, and comes after, is taken for it.
  std::optional<double> pieces_asked_at_, pieces_wanted_since_;
  std::optional<double> pieces_coarse_since_;  // the last change that is not shown in full yet
  // After the last change, until the camera has rested so long that it was the end of a motion.
  std::optional<double> refined_;
};

}  // namespace haloscope::app::viewer
