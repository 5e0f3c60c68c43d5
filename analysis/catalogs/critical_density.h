#pragma once

#include "io/text/length_words.h"

namespace haloscope::analysis {

// Today's: 3 (100 km/s/Mpc)² / (8 π G), in h² Msun/Mpc³.
inline constexpr double kCriticalDensity = 2.7754e11;
inline constexpr double kMpcCm = 1e6 * io::kParsecCm;

}  // namespace haloscope::analysis
