#include "analysis/plot_units.h"

#include <cmath>
#include <initializer_list>
#include <string>

namespace haloscope::analysis {

namespace {

struct KnownUnit {
  const char* unit;
  double factor;
  const char* in;
};

PlotUnit as_shown(const std::string& unit, std::initializer_list<KnownUnit> known) {
  for (const auto& [name, factor, in] : known)
    for (const char* h : {"", "/h"})
      if (unit == std::string(name) + h) return {factor, std::string(in) + h};
  return {1, unit};
}

}  // namespace

PlotUnit plot_mass(const std::string& unit) {
  return as_shown(unit, {{"1e10 Msun", 1e10, "Msun"}, {"1e6 Msun", 1e6, "Msun"}});
}

PlotUnit without_power(const std::string& unit) {
  const auto end = unit.find(' ');
  const bool power = unit.starts_with("1e") && end != std::string::npos && end > 2 && end < 5 &&
                     unit.find_first_not_of("0123456789", 2) == end;
  if (!power) return {1, unit};
  return {std::pow(10, std::stoi(unit.substr(2, end - 2))), unit.substr(end + 1)};
}

PlotUnit plot_length(const std::string& unit) {
  return as_shown(unit, {{"kpc", 1e-3, "Mpc"}, {"pc", 1e-6, "Mpc"}});
}

std::string unit_behind(const std::string& unit) {
  const bool number = !unit.empty() && unit.front() >= '0' && unit.front() <= '9';
  return number ? "x " + unit : unit;
}

std::string unit_in_print(const std::string& unit) {
  const auto end = unit.find_first_not_of("0123456789", 2);
  if (!unit.starts_with("1e") || end == 2) return unit;
  return "10^{" + unit.substr(2, end == std::string::npos ? end : end - 2) + "}" +
         (end == std::string::npos ? std::string() : unit.substr(end));
}

}  // namespace haloscope::analysis
