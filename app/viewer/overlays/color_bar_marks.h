#pragma once

#include "render/plots/axis_map.h"

#include <functional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

struct BarMark {
  float at = 0;  // pixels, as axis.begin
  bool is_short = false;
  std::string words;  // empty: it is not told
};

// What stands between the words of a color bar's limits, in pixels.
struct BarRoom {
  float left, right;  // where these words end and begin
  float letter_height;
  float point;
};

// The marks of round numbers below a color bar, as many of them with words as there is room for.
// None where the limits are no numbers, or where their scale has no place for them. `width_of`: of
// words, in pixels.
std::vector<BarMark> color_bar_marks(const render::AxisMap& axis, const BarRoom& room,
                                     const std::function<float(const std::string&)>& width_of);

}  // namespace haloscope::app::viewer
