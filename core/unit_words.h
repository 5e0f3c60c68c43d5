#pragma once

#include <string>

// Units as they are written behind numbers.
namespace haloscope {

// Names of several words in brackets: "kpc", "(kpc/h)", "(1e10 Msun)".
std::string grouped_unit(const std::string& unit);

// "kpc^3", "(kpc/h)^-3"; a unit to the power of 1 as it is.
std::string unit_power(const std::string& unit, double exponent);

}  // namespace haloscope
