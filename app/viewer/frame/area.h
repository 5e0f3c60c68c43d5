#pragma once

namespace haloscope::app::viewer {

// A part of the window, pixels from the upper left.
struct Area {
  float x = 0, y = 0, width = 1, height = 1;
  bool empty() const { return !(width > 0 && height > 0); }
  bool operator==(const Area&) const = default;
};

}  // namespace haloscope::app::viewer
