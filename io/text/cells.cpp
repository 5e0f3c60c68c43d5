#include "io/text/cells.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace haloscope::io {

namespace {

std::string_view without_quotes(std::string_view cell) {
  if (cell.size() >= 2 && (cell.front() == '"' || cell.front() == '\'') &&
      cell.back() == cell.front())
    cell = cell.substr(1, cell.size() - 2);
  return cell;
}

// What from_chars does not take: quotes, a plus sign, Fortran's exponents, and numbers beyond the
// range of a double, which become 0 or infinite.
bool parse_unusual_number(std::string_view cell, double& value) {
  cell = without_quotes(cell);
  if (!cell.empty() && cell.front() == '+') {
    cell.remove_prefix(1);
    if (!cell.empty() && cell.front() == '-') return false;
  }
  std::array<char, 128> copy{};
  if (cell.empty() || cell.size() >= copy.size()) return false;  // a 0 ends it
  const bool named = std::isalpha(static_cast<unsigned char>(cell.back())) != 0;
  std::transform(cell.begin(), cell.end(), copy.begin(),
                 [named](char c) { return !named && (c == 'd' || c == 'D') ? 'e' : c; });
  const char* end = copy.data() + cell.size();
  const auto [at, error] = std::from_chars(copy.data(), end, value);
  if (at != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(copy.data(), nullptr, plain);
  }
  return true;
}

}  // namespace

bool parse_number(std::string_view cell, double& value) {
  const char* end = cell.data() + cell.size();
  const auto [at, error] = std::from_chars(cell.data(), end, value);
  if (error == std::errc() && at == end) return true;
  return parse_unusual_number(cell, value);
}

bool parse_integer(std::string_view cell, std::uint64_t& value, bool& negative) {
  const char* end = cell.data() + cell.size();
  negative = !cell.empty() && cell.front() == '-';
  if (negative) {
    std::int64_t signed_value = 0;
    const auto [at, error] = std::from_chars(cell.data(), end, signed_value);
    value = std::uint64_t(signed_value);
    if (error == std::errc() && at == end) return true;
  } else {
    const auto [at, error] = std::from_chars(cell.data(), end, value);
    if (error == std::errc() && at == end) return true;
  }
  double number = 0;
  constexpr double kExact = 9007199254740992.0;
  cell = without_quotes(cell);
  // Digits alone that did not fit into 64 bits do not fit into a double either.
  if (!parse_number(cell, number) || !(std::abs(number) <= kExact) || number != std::floor(number))
    return false;
  negative = number < 0;
  value = std::uint64_t(std::int64_t(number));
  return true;
}

int parse_particle_type(std::string_view cell) {
  std::uint64_t value = 0;
  bool negative = false;
  if (parse_integer(cell, value, negative)) return negative || value > 15 ? -1 : int(value);
  static constexpr std::pair<std::string_view, int> kNames[] = {
      {"gas", 0},   {"dm", 1},   {"dark", 1},  {"darkmatter", 1}, {"disk", 2},
      {"bulge", 3}, {"star", 4}, {"stars", 4}, {"bh", 5},         {"blackhole", 5}};
  std::string plain;
  for (const unsigned char c : cell.substr(0, 32))
    if (std::isalpha(c)) plain += char(std::tolower(c));
  for (const auto& [name, type] : kNames)
    if (plain == name) return type;
  return -1;
}

std::string printable_cell(std::string_view cell) {
  constexpr std::size_t kLongest = 40;
  std::string text(cell.substr(0, kLongest));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  if (cell.size() > kLongest) text += "...";
  return text;
}

}  // namespace haloscope::io
