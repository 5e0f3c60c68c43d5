#pragma once

#include <string>

namespace haloscope::analysis {

// The unit that plots show in place of one that files have, and the factor to it.
struct PlotUnit {
  double factor = 1;
  std::string unit;
};

// "1e10 Msun/h" → 1e10 and "Msun/h"; others as they are.
PlotUnit plot_mass(const std::string& unit);
// "1e10 Msun/h" → 1e10 and "Msun/h", whatever stands behind the power of ten: for numbers in words.
PlotUnit without_power(const std::string& unit);
// "kpc/h" → 1e-3 and "Mpc/h"; others as they are.
PlotUnit plot_length(const std::string& unit);

// As it stands behind a number: "x 50000 kpc" of a unit that begins with one.
std::string unit_behind(const std::string& unit);

// "1e10 Msun/h" → "10^{10} Msun/h", as titles of axes have it.
std::string unit_in_print(const std::string& unit);

}  // namespace haloscope::analysis
