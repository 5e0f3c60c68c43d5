#pragma once

#include <string>

// Units as they are written behind numbers.
namespace haloscope {

// In brackets unless it is one word: "kpc", "(kpc/h)", "(1e10 Msun)", "(yr-1)".
std::string grouped_unit(const std::string& unit);

// "kpc^3", "(kpc/h)^-3"; a unit to the power of 1 as it is, and nothing of none.
std::string unit_power(const std::string& unit, double exponent);

}  // namespace haloscope
