#include "render/plots/log_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::render {

std::vector<Mark> log_marks(double low, double high, int most) {
  most = std::max(1, most);
  const int first = int(std::floor(low)), last = int(std::ceil(high));
  const int decades = int(std::floor(high)) - int(std::ceil(low)) + 1;
  const int step = std::max(1, (decades + most - 1) / most);
  const bool between = high - low < 2 && 3 * (high - low) < most;
  std::vector<Mark> marks;
  for (int decade = first; decade <= last; ++decade) {
    if (decade % step != 0) continue;
    for (const int digit : {1, 2, 5}) {
      const double place = decade + std::log10(digit);
      if ((digit == 1 || between) && place >= low && place <= high)
        marks.push_back({place, fmt::format("{}e{}", digit, decade)});
    }
  }
  return marks;
}

}  // namespace haloscope::render
