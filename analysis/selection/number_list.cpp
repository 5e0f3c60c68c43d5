#include "analysis/selection/number_list.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

namespace haloscope::analysis {

namespace {

struct NumberRange {
  std::uint64_t first, last;
};

// A file may say anything: this many numbers nobody has drawn a rectangle around.
constexpr std::uint64_t kMostNumbers = std::numeric_limits<std::uint32_t>::max();

std::vector<NumberRange> ranges_in(const std::string& list) {
  const auto refuse = [&list] {
    throw Error("'" + list + "' is no list of numbers", "selection", "write it as 0-4 7");
  };
  std::vector<NumberRange> ranges;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&] {
    std::uint64_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc() || value >= kMostNumbers) refuse();
    at = read.ptr;
    return value;
  };
  while (at != end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    NumberRange range{number(), 0};
    range.last = range.first;
    if (at != end && *at == '-') {
      ++at;
      range.last = number();
    }
    if (range.last < range.first || (at != end && *at != ' ')) refuse();
    if (!ranges.empty() && range.first <= ranges.back().last) refuse();
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

std::uint64_t most_in(const std::string& list) {
  const auto ranges = ranges_in(list);
  return ranges.empty() ? 0 : ranges.back().last;
}

std::string number_list(std::vector<std::uint64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string list;
  for (std::size_t k = 0, next = 0; k < numbers.size(); k = next) {
    next = k + 1;
    while (next < numbers.size() && numbers[next] == numbers[next - 1] + 1) ++next;
    if (!list.empty()) list += ' ';
    list += next - k == 1 ? fmt::format("{}", numbers[k])
                          : fmt::format("{}-{}", numbers[k], numbers[next - 1]);
  }
  return list;
}

std::vector<std::uint64_t> numbers_in(const std::string& list) {
  std::vector<std::uint64_t> numbers;
  for (const NumberRange& range : ranges_in(list))
    for (std::uint64_t number = range.first; number <= range.last; ++number)
      numbers.push_back(number);
  return numbers;
}

std::uint64_t count_in(const std::string& list) {
  try {
    std::uint64_t count = 0;
    for (const NumberRange& range : ranges_in(list)) count += range.last - range.first + 1;
    return count;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace haloscope::analysis
