// Round numbers below color bars.

#include "app/viewer/overlays/color_bar_marks.h"

#include "tests/catch.h"

#include <limits>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

constexpr float kLetter = 10;

float width_of(const std::string& words) {
  return 6 * float(words.size());
}

// Of a bar 200 pixels wide, the limits' words so wide on both sides.
std::vector<BarMark> marks(analysis::AxisScale scale, double low, double high, float words = 20) {
  render::AxisMap axis;
  axis.scale = scale;
  axis.limits = {low, high};
  axis.begin = 100;
  axis.end = 300;
  return color_bar_marks(axis, {100 + words, 300 - words, kLetter, 1}, width_of);
}

std::vector<std::string> told(const std::vector<BarMark>& all) {
  std::vector<std::string> words;
  for (const BarMark& mark : all)
    if (!mark.words.empty()) words.push_back(mark.words);
  return words;
}

using analysis::AxisScale;
using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("color bars have marks at round numbers, told where there is room", "[viewer]") {
  const auto linear = marks(AxisScale::Linear, 0, 40);
  CHECK(told(linear) == Words{"10", "20", "30"});
  for (const BarMark& mark : linear)
    if (mark.words == "30") CHECK(mark.at == Approx(250));
  CHECK(told(marks(AxisScale::Log, 3e3, 3e7)) == Words{"1e5", "1e6"});
  // As the limits are told: without a power where they have none.
  CHECK(told(marks(AxisScale::Log, 3, 3000)) == Words{"10", "100"});
  CHECK(told(marks(AxisScale::Asinh, 0, 37)) == Words{"1", "10"});
  // Long words of the limits leave no room.
  CHECK(told(marks(AxisScale::Linear, 0, 40, 90)).empty());
  CHECK_FALSE(marks(AxisScale::Linear, 0, 40, 90).empty());
}

TEST_CASE("words below color bars keep apart, and short marks too", "[viewer]") {
  for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log, AxisScale::Asinh})
    for (const double high : {1.7, 23., 4.6e5, 8e12}) {
      CAPTURE(int(scale), high);
      float end = 120;
      for (const BarMark& mark : marks(scale, 0.013, high)) {
        CHECK(mark.at >= 100);
        CHECK(mark.at <= 300);
        if (mark.words.empty()) continue;
        const float half = 0.5f * width_of(mark.words);
        CHECK(mark.at - half > end + 0.5f * kLetter);
        end = mark.at + half;
      }
      CHECK(end < 280);
    }
  // Twelve decades on 200 pixels: nine marks each would be one line.
  for (const BarMark& mark : marks(AxisScale::Log, 1e-3, 1e9)) CHECK_FALSE(mark.is_short);
}

TEST_CASE("words below color bars are the marks' values where limits are close", "[viewer]") {
  CHECK(told(marks(AxisScale::Linear, 20, 20.4)) == Words{"20.1", "20.2", "20.3"});
  // 20.05 would be told as 20.1.
  CHECK(told(marks(AxisScale::Linear, 20, 20.2)) == Words{"20.1"});
  CHECK(told(marks(AxisScale::Linear, 1000, 1000.4)).empty());
  CHECK_FALSE(marks(AxisScale::Linear, 1000, 1000.4).empty());
  // Limits of which a picture shows no difference.
  CHECK(marks(AxisScale::Linear, 1, 1 + 1e-15).empty());
  CHECK(marks(AxisScale::Log, 1, 1 + 1e-15).empty());
}

TEST_CASE("color bars of limits that are no numbers have no marks", "[viewer]") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  CHECK(marks(AxisScale::Linear, kNone, 1).empty());
  CHECK(marks(AxisScale::Linear, 0, kEndless).empty());
  CHECK(marks(AxisScale::Linear, 2, 2).empty());
  CHECK(marks(AxisScale::Log, 0, 1).empty());
}

}  // namespace haloscope::app::viewer
