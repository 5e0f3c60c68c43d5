#pragma once

#include "app/session/camera.h"
#include "core/timings.h"

#include <cstdint>
#include <map>
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
  // … and the picture of that serial number is the first one asked for that shows it.
  void want_pieces(std::uint64_t serial, double now) {
    if (!pieces_asked_at_) return;
    if (!pieces_wanted_since_) {
      pieces_wanted_since_ = pieces_asked_at_;
      first_with_pieces_ = serial;
      pieces_taking_ = now - *pieces_asked_at_;
    }
    pieces_coarse_since_ = pieces_asked_at_;
    pieces_asked_at_.reset();
  }
  // A new picture is on screen.
  struct Shown {
    double drawing_ms = 0;
    std::uint64_t serial = 0;  // they grow from one request to the next
    bool full = false;         // of what is wanted, in full quality
    // Asked for when the camera rested: it belongs to no motion, even where the next one has begun.
    bool at_rest = false;
    int sample = 1;                   // one of so many particles was drawn
    const Timings* phases = nullptr;  // of the drawing
  };
  void shown(double now, const Shown& picture);

  // Intervals between pictures of a moving camera (median, 99th percentile, longest, ms), how long
  // each of them took to be drawn (in its phases too; of how many particles one was drawn), the
  // time from the last change of the camera to the picture in full, from a change of what was found
  // to the picture that shows it (of which until that is asked for, and its drawing), from the last
  // of such changes to the picture in full, and when the first picture came. `interop`: pictures
  // stayed on the GPU; `renderer`: OpenGL's name.
  void write(const std::string& path, bool interop, const std::string& renderer) const;

 private:
  void add_drawing(const Shown& picture);

  std::optional<session::Camera> camera_;
  double changed_at_ = 0;
  bool moved_ = false;  // the camera, since it was first there
  std::optional<double> first_, last_;
  std::vector<double> intervals_, drawing_, refining_;  // ms
  std::map<std::string, std::vector<double>> phases_;   // of the drawing, ms
  std::vector<double> samples_;
  std::vector<double> recoloring_, recoloring_in_full_;  // ms
  std::vector<double> taking_pieces_, drawing_pieces_;   // ms
  // Of pieces that no picture was asked to show yet, and of those that none on screen has shown.
  std::optional<double> pieces_asked_at_, pieces_wanted_since_;
  std::uint64_t first_with_pieces_ = 0;
  double pieces_taking_ = 0;                   // s
  std::optional<double> pieces_coarse_since_;  // the last change that is not shown in full yet
  // After the last change, until the camera has rested so long that it was the end of a motion.
  std::optional<double> refined_;
};

}  // namespace haloscope::app::viewer
