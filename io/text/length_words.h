#pragma once

#include <optional>
#include <string_view>

namespace haloscope::io {

// The parsec as IAU 2015 has it, and in the digits of Gadget's parameter files, so that "kpc" said
// by a user is the code's own unit.
inline constexpr double kParsecCm = 3.0856775814913673e18;
inline constexpr double kGadgetParsecCm = 3.085678e18;

// Centimeters of a length by its word (cm, m, km, Rsun, AU, pc, kpc, Mpc, Gpc); nothing for others.
// Units made of the parsec follow the one given.
std::optional<double> length_in_cm(std::string_view word, double parsec_cm, bool any_case = false);

}  // namespace haloscope::io
