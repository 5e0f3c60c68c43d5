#include "core/unit_words.h"

#include <fmt/format.h>

namespace haloscope {

std::string grouped_unit(const std::string& unit) {
  return unit.find_first_of(" /*^") == std::string::npos ? unit : "(" + unit + ")";
}

std::string unit_power(const std::string& unit, double exponent) {
  return exponent == 1 ? unit : fmt::format("{}^{:g}", grouped_unit(unit), exponent);
}

}  // namespace haloscope
