#include "app/viewer/overlays/color_bar_marks.h"

#include "app/viewer/panels/scene_words.h"
#include "render/plots/axis_marks.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace haloscope::app::viewer {

std::vector<BarMark> color_bar_marks(const render::AxisMap& axis, const BarRoom& room,
                                     const std::function<float(const std::string&)>& width_of) {
  const auto [low, high] = axis.limits;
  // Closer limits are one number in 32 bits, as colors are computed.
  constexpr double kLeastSpan = 1e-7;
  const bool has_marks = std::isfinite(low) && std::isfinite(high) &&
                         high - low > kLeastSpan * std::max(std::abs(low), std::abs(high)) &&
                         (axis.scale != analysis::AxisScale::Log || low > 0);
  if (!has_marks) return {};
  const double width = axis.end - axis.begin;
  const auto all =
      render::axis_marks(axis, std::max(2, int(width / double(3 * room.letter_height))));
  // Closer together on average, short ones would be one line.
  constexpr float kClosest = 5;  // points
  const bool shows_short = double(all.size()) * double(kClosest * room.point) <= width;
  // With a power of ten where one of the limits has it.
  const double like = readable(low, 3).find('e') == std::string::npos ? high : low;
  const float gap = 0.7f * room.letter_height;
  float left = room.left;
  std::vector<BarMark> marks;
  for (const render::AxisMark& mark : all) {
    BarMark made{float(axis.at(mark.value)), mark.words.empty(), ""};
    if (made.is_short && !shows_short) continue;
    if (!made.is_short) {
      const std::string words = readable_ends(mark.value, like, 3)[0];
      const float half = 0.5f * width_of(words);
      // Marks of limits that are close together may have more digits than three.
      const bool tells = std::abs(std::stod(words) - mark.value) <= 1e-6 * std::abs(mark.value);
      if (tells && made.at - half >= left + gap && made.at + half <= room.right - gap) {
        made.words = words;
        left = made.at + half;
      }
    }
    marks.push_back(made);
  }
  return marks;
}

}  // namespace haloscope::app::viewer
