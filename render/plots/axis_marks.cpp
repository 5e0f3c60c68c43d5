#include "render/plots/axis_marks.h"

#include "render/plots/log_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::render {

namespace {

using analysis::AxisScale;

// Beyond these a number is told with a power of ten.
constexpr int kLargestPlain = 4, kSmallestPlain = -4;
// Short marks for 2 to 9 of each decade are lines of gray where there are more decades.
constexpr double kMostDecades = 12;

// The largest of 1, 2 and 5 times a power of ten so that there are no more steps than `most`.
double round_step(double span, int most) {
  const double least = span / std::max(1, most);
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1., 2., 5.})
    if (digit * decade >= least * (1 - 1e-9)) return digit * decade;
  return 10 * decade;
}

// With the digits that tell one step from the next.
std::string in_words(double value, double step) {
  if (std::abs(value) < step / 2) return "0";
  const int first = int(std::floor(std::log10(std::abs(value)) + 1e-9));
  const int last = int(std::floor(std::log10(step) + 1e-9));
  if (first <= kLargestPlain && last >= kSmallestPlain)
    return fmt::format("{:.{}f}", value, std::max(0, -last));
  const std::string number = fmt::format("{:.{}e}", value, std::clamp(first - last, 0, 15));
  const auto e = number.find('e');
  return power_in_words(number.substr(0, e + 1) + std::to_string(std::stoi(number.substr(e + 1))));
}

// Between marks with words there are four short ones, or those of a fifth or tenth.
std::vector<AxisMark> linear_marks(const AxisLimits& limits, int most) {
  const double step = round_step(limits[1] - limits[0], most);
  const double leading = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
  const int parts = leading > 1.5 && leading < 3 ? 4 : 5;
  const double fine = step / parts;
  std::vector<AxisMark> marks;
  const double first = std::ceil(limits[0] / fine - 1e-9),
               last = std::floor(limits[1] / fine + 1e-9);
  for (double k = first; k <= last; ++k)
    marks.push_back({k * fine, std::fmod(std::abs(k), parts) == 0 ? in_words(k * fine, step) : ""});
  return marks;
}

std::size_t with_words(const std::vector<AxisMark>& marks) {
  return std::size_t(std::count_if(marks.begin(), marks.end(),
                                   [](const AxisMark& mark) { return !mark.words.empty(); }));
}

// 2 to 9 of each decade.
void add_between(std::vector<AxisMark>& marks, double low, double high) {
  if (high - low > kMostDecades) return;
  for (int decade = int(std::floor(low)); decade <= int(std::ceil(high)); ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double place = decade + std::log10(digit);
      if (place >= low && place <= high) marks.push_back({digit * std::pow(10, decade), ""});
    }
}

std::vector<AxisMark> decades(const AxisLimits& limits, int most) {
  const double low = std::log10(limits[0]), high = std::log10(limits[1]);
  std::vector<AxisMark> marks;
  const std::vector<Mark> told = log_marks(low, high, most);
  // 10, 20, 50 read more easily than 10^1, 2×10^1, 5×10^1; powers alone stay powers.
  const bool plain =
      std::all_of(told.begin(), told.end(),
                  [](const Mark& mark) {
                    return mark.place > kSmallestPlain + 0.5 && mark.place < kLargestPlain;
                  }) &&
      std::any_of(told.begin(), told.end(),
                  [](const Mark& mark) { return mark.words.front() != '1'; });
  for (const Mark& mark : told)
    marks.push_back({std::pow(10, mark.place), plain ? fmt::format("{:g}", std::pow(10, mark.place))
                                                     : power_in_words(mark.words)});
  if (with_words(marks) < 2 && high - low < 1) return linear_marks(limits, most);
  add_between(marks, low, high);
  return marks;
}

// Zero, and powers of ten on both sides from the softening on.
std::vector<AxisMark> asinh_marks(const AxisMap& axis, int most) {
  const AxisLimits& limits = axis.limits;
  const double furthest = std::max(std::abs(limits[0]), std::abs(limits[1]));
  const bool zero = axis.holds(0);
  if (furthest < 3 * axis.softening || (!zero && limits[1] - limits[0] < 0.9 * furthest))
    return linear_marks(limits, most);
  const int first = int(std::ceil(std::log10(axis.softening) - 1e-9));
  const int last = int(std::floor(std::log10(furthest) + 1e-9));
  const bool both = limits[0] < -axis.softening && limits[1] > axis.softening;
  const int decades = std::max(1, (last - first + 1) * (both ? 2 : 1));
  const int step = std::max(1, (decades + most - 2) / std::max(1, most - 1));
  std::vector<AxisMark> marks;
  if (zero) marks.push_back({0, "0"});
  for (int decade = first; decade <= last; ++decade)
    for (const int sign : {-1, 1})
      for (int digit = 1; digit < 10; ++digit) {
        const double value = sign * digit * std::pow(10, decade);
        if (!axis.holds(value)) continue;
        const bool told = digit == 1 && (last - decade) % step == 0;
        if (!told && decades > kMostDecades) continue;
        marks.push_back(
            {value,
             told ? (sign < 0 ? "-" : "") + power_in_words(fmt::format("1e{}", decade)) : ""});
      }
  return with_words(marks) < 2 ? linear_marks(limits, most) : marks;
}

}  // namespace

std::string power_in_words(const std::string& number) {
  const auto e = number.find('e');
  const std::string digits = number.substr(0, e), power = "10^{" + number.substr(e + 1) + "}";
  if (digits == "1") return power;
  return digits == "-1" ? "-" + power : digits + "\u00d7" + power;
}

std::vector<AxisMark> axis_marks(const AxisMap& axis, int most) {
  std::vector<AxisMark> marks = axis.scale == AxisScale::Log     ? decades(axis.limits, most)
                                : axis.scale == AxisScale::Asinh ? asinh_marks(axis, most)
                                                                 : linear_marks(axis.limits, most);
  std::stable_sort(marks.begin(), marks.end(),
                   [](const AxisMark& a, const AxisMark& b) { return a.value < b.value; });
  return marks;
}

}  // namespace haloscope::render
