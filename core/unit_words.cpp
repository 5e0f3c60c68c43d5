#include "core/unit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace haloscope {

std::string grouped_unit(const std::string& unit) {
  // Digits and signs are powers already: "yr-1".
  const bool is_word = std::all_of(unit.begin(), unit.end(), [](unsigned char c) {
    return std::isalpha(c) || c == '_' || c >= 0x80;
  });
  return is_word ? unit : "(" + unit + ")";
}

std::string unit_power(const std::string& unit, double exponent) {
  return exponent == 1 || unit.empty() ? unit
                                       : fmt::format("{}^{:g}", grouped_unit(unit), exponent);
}

}  // namespace haloscope
