#pragma once

#include "app/session/camera_motion.h"
#include "app/viewer/overlays/overlays.h"
#include "app/viewer/panels/panel_input.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace haloscope::app::viewer {

// What the mouse is doing to the picture.
struct MouseMemory {
  std::optional<int> button;  // held, pressed inside the picture
  bool dragged = false;
  // A ruler is drawn from where it was pressed, with Ctrl.
  bool rules = false;
  // With Shift too: a line around particles, whose corners are pixels.
  bool lassoes = false;
  std::vector<std::array<float, 2>> corners;
  float pressed_x = 0, pressed_y = 0;
  float moved = 0;       // pixels since the press
  double turn_sign = 1;  // of the camera when the drag began
  struct Click {
    float x = 0, y = 0;
    double due = 0;  // s: by then it is no double-click
  };
  std::optional<Click> click;

  // Something will happen without another event.
  bool waits() const { return click.has_value(); }
};

// What is done about a point that is seen in the picture, at a place in widths of the picture from
// its middle, y up.
struct SeenPoints {
  std::function<void(double x, double y)> center;  // bring it to the middle
  std::function<void(double x, double y)> select;  // select the piece that it lies in
  // Lay a ruler from one to the other.
  std::function<void(session::PicturePoint from, session::PicturePoint to)> measure = {};
};

// The place of the picture that the mouse points at, in its widths from its middle, y up; nothing:
// it is elsewhere, or a button is held.
std::optional<session::PicturePoint> pointed_at(const PictureArea& area);

// Turns what the mouse does in the picture into commands. A click selects the piece under it once
// it can no longer be a double-click, which brings what is under the cursor to the middle. Pieces
// that places alone mark, as peaks, fill space: beside the marks a click selects the piece of what
// is seen there. Between begin and end of a UiFrame, before panels are built.
void read_mouse(const PanelInput& input, const PictureArea& area, double now, MouseMemory& memory,
                const SeenPoints& seen);

}  // namespace haloscope::app::viewer
