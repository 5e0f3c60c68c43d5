#pragma once

#include <array>

namespace haloscope {

// Colors of stellar populations, each born at once, from what textbooks say of single stars:
//
// - Turnoff. A star of M solar masses burns its hydrogen in 10 Gyr M^-2.5, so the hottest ones left
//   after t have M = (t / 10 Gyr)^-0.4. With L ~ M^3.5 and R ~ M^0.8 on the main sequence
//   (Kippenhahn, Weigert & Weiss, Stellar Structure and Evolution, 2nd ed., ch. 22) their
//   temperature is 5772 K M^0.475 = 5772 K (t / 10 Gyr)^-0.19.
// - Giants, of 3900 K. They give off more than half of the light of old populations, for that is
// how
//   much of their fuel they burn (Renzini & Buzzoni 1986, in Spectral Evolution of Galaxies, 195):
//   here 0.75 t / (t + 1 Gyr), a curve of our own.
// - Metals. Stars with fewer metals are hotter: both temperatures go with (Z / 0.0134)^-0.03, a
// power
//   of our own, 7 % for a factor of ten.
//
// Both parts shine as black bodies: B - V of solar metals is -0.1 at 0.1 Gyr, 0.3 at 1 Gyr and 0.8
// at 10 Gyr, within 0.2 of populations made of spectra. Dust, gas, binaries and the horizontal
// branch are left out: it is a color to look at, and not one to measure by.

// K; `gyr` above 0, `metals` is a mass fraction.
double turnoff_temperature(double gyr, double metals);
double giant_temperature(double metals);
double giant_share(double gyr);  // of the luminance

// Linear light in sRGB's primaries, of luminance 1. Planck's law through the color matching
// functions of CIE 1931 as Wyman, Sloan & Shirley fit them (2013, J. Comp. Graphics Techniques
// 2(2), 1).
std::array<double, 3> black_body_color(double kelvin);

// Linear light whose largest component is 1. Ages below 3 Myr, which the most massive stars live,
// count as 3 Myr; metals from a hundredth of the Sun's to five times those.
std::array<float, 3> star_color(double gyr, double metals);

inline constexpr double kSolarMetals = 0.0134;  // Asplund et al. 2009, ARA&A 47, 481
inline constexpr double kYoungestGyr = 0.003;

}  // namespace haloscope
