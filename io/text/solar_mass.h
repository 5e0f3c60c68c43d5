#pragma once

namespace haloscope::io {

// IAU 2015 B3's nominal GM over CODATA 2018's G, and GADGET's, which is what snapshots of codes of
// its family count in.
inline constexpr double kSolarMassG = 1.98840987e33;
inline constexpr double kGadgetSolarMassG = 1.989e33;

}  // namespace haloscope::io
