#include "io/text/unit_words.h"

#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <charconv>
#include <cmath>
#include <map>

namespace haloscope::io {

namespace {

using Names = std::map<std::string, double>;

const Names& mass_names() {
  static const Names names{
      {"g", 1}, {"kg", 1e3}, {"Mearth", 5.972e27}, {"Mjup", 1.898e30}, {"Msun", kGadgetSolarMassG}};
  return names;
}
const Names& velocity_names() {
  static const Names names{{"cm/s", 1}, {"m/s", 1e2}, {"km/s", 1e5}, {"c", 2.99792458e10}};
  return names;
}

// The number before a unit, taken off; 1 where there is none. "10^10" is a number too.
double take_number(std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return 1;
  if (value == 10 && rest != end && *rest == '^') {
    double exponent = 0;
    const auto power = std::from_chars(rest + 1, end, exponent);
    if (power.ec == std::errc()) {
      value = std::pow(10.0, exponent);
      rest = power.ptr;
    }
  }
  text.erase(0, std::size_t(rest - text.data()));
  return value;
}

bool take_per_h(std::string& word) {
  static const std::string inverse = "h^-1";
  if (word.ends_with("/h"))
    word.resize(word.size() - 2);
  else if (word.ends_with(inverse))
    word.resize(word.size() - inverse.size());
  else if (word.starts_with(inverse))
    word.erase(0, inverse.size());
  else
    return false;
  return true;
}

struct Parts {
  double number = 1;
  bool per_h = false;
  std::string word;
};

Parts split(std::string_view text) {
  Parts parts;
  for (const char c : text)
    if (c != ' ' && c != '*') parts.word += c;
  parts.number = take_number(parts.word);
  parts.per_h = take_per_h(parts.word);
  return parts;
}

std::optional<UnitWords> checked(double cgs, bool per_h, bool comoving) {
  if (!(cgs > 0) || !std::isfinite(cgs)) return {};
  return UnitWords{cgs, per_h, comoving};
}

std::optional<UnitWords> by_name(std::string_view text, const Names& names) {
  const Parts parts = split(text);
  const auto found = names.find(parts.word);
  if (found == names.end()) return {};
  return checked(parts.number * found->second, parts.per_h, false);
}

}  // namespace

std::optional<UnitWords> length_by_words(std::string_view text) {
  const Parts parts = split(text);
  auto cm = length_in_cm(parts.word, kGadgetParsecCm);
  const bool comoving = !cm && parts.word.starts_with("c");
  if (comoving) cm = length_in_cm(parts.word.substr(1), kGadgetParsecCm);
  return checked(parts.number * cm.value_or(0), parts.per_h, comoving);
}

std::optional<UnitWords> mass_by_words(std::string_view text) {
  return by_name(text, mass_names());
}

std::optional<UnitWords> velocity_by_words(std::string_view text) {
  return by_name(text, velocity_names());
}

}  // namespace haloscope::io
