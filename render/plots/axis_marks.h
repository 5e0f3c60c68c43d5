#pragma once

#include "render/plots/axis_map.h"

#include <string>
#include <vector>

namespace haloscope::render {

struct AxisMark {
  double value = 0;
  std::string words;  // rich text; empty: a short mark between others
};

// Marks of what an axis shows, about `most` with words at most: round numbers, on logarithmic axes
// powers of ten and what lies between them. Ascending.
std::vector<AxisMark> axis_marks(const AxisMap& axis, int most);

// "10^{12}" of "1e12", "2×10^{12}" of "2e12".
std::string power_in_words(const std::string& number);

}  // namespace haloscope::render
