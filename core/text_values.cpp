#include "core/text_values.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace haloscope {

namespace {

constexpr int kLargestSide = 16384;

[[noreturn]] void bad(const std::string& option, const std::string& text,
                      const std::string& expected) {
  throw Error(fmt::format("'{}' is not {}", text, expected), option);
}

template <class T>
bool read_number(std::string text, T& value) {
  text = trimmed(text);
  const char* begin = text.data();
  if (text.size() > 1 && *begin == '+') ++begin;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

PixelSize parse_size(const std::string& option, const std::string& text) {
  const auto x = text.find_first_of("xX");
  int width = 0, height = 0;
  if (x == std::string::npos || !read_number(text.substr(0, x), width) ||
      !read_number(text.substr(x + 1), height))
    bad(option, text, "a size in pixels such as 1920x1080");
  if (width < 1 || height < 1 || width > kLargestSide || height > kLargestSide)
    bad(option, text, fmt::format("a possible size: both sides must be 1 to {}", kLargestSide));
  return {width, height};
}

double parse_number(const std::string& option, const std::string& text) {
  double value = 0;
  if (!read_number(text, value) || !std::isfinite(value)) bad(option, text, "a number");
  return value;
}

bool is_count(const std::string& text, std::uint64_t& count) {
  if (read_number(text, count)) return true;
  // "1e6" is how people write a million; from 2^64 on no double is a count.
  double number = 0;
  if (!read_number(text, number) || !(number >= 0 && number < 0x1p64)) return false;
  if (number != std::floor(number)) return false;
  count = std::uint64_t(number);
  return true;
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  // A bound that is only the type's is told to those alone who meet it.
  constexpr auto kNoChoice = std::uint64_t(std::numeric_limits<std::int32_t>::max());
  std::uint64_t count = 0;
  const bool whole = is_count(text, count);
  if (!whole || count < least || count > most)
    bad(option, text,
        most >= kNoChoice && !(whole && count > most)
            ? fmt::format("a whole number from {} on", least)
            : fmt::format("a whole number from {} to {}", least, most));
  return count;
}

std::vector<std::string> parse_list(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    words.push_back(trimmed(text.substr(begin, end - begin)));
    if (words.back().empty()) bad(option, text, "a list with commas between its words");
    begin = end + 1;
  }
  return words;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count) {
  std::vector<double> values;
  for (const auto& word : parse_list(option, text)) {
    double value = 0;
    if (!read_number(word, value) || !std::isfinite(value)) break;
    values.push_back(value);
  }
  const auto words = std::size_t(std::count(text.begin(), text.end(), ',')) + 1;
  if (values.size() != count || words != count)
    bad(option, text, fmt::format("{} numbers with commas between them", count));
  return values;
}

std::array<double, 3> parse_vector(const std::string& option, const std::string& text) {
  const auto v = parse_numbers(option, text, 3);
  return {v[0], v[1], v[2]};
}

std::array<double, 2> parse_range(const std::string& option, const std::string& text) {
  const auto v = parse_numbers(option, text, 2);
  if (!(v[0] < v[1])) bad(option, text, "a range LO,HI: its first number must be the smaller one");
  return {v[0], v[1]};
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  std::string digits = trimmed(text);
  const std::string units = "KMGT";
  int power = 0;
  if (!digits.empty() && (digits.back() == 'B' || digits.back() == 'b')) digits.pop_back();
  if (!digits.empty() && (digits.back() == 'i')) digits.pop_back();
  if (!digits.empty()) {
    const auto unit = units.find(char(std::toupper(static_cast<unsigned char>(digits.back()))));
    if (unit != std::string::npos) {
      power = int(unit) + 1;
      digits.pop_back();
    }
  }
  double value = 0;
  if (!read_number(digits, value) || !(value > 0) || value > 1e15)
    bad(option, text, "an amount of memory such as 8G or 500M");
  return std::uint64_t(value * std::pow(1024., power));
}

std::string lower_case(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string bytes_in_words(std::uint64_t bytes) {
  static const char* const kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace haloscope
