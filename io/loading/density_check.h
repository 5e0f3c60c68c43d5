#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::io {

// Where a cosmological box's particles all have masses from the header, their mean density must be
// Omega0's: a sentence where it is far off (and which unit of length would fit), nothing where it
// fits or where the header tells too little. Catches units that had to be guessed. A cut-out of a
// larger box has less, so only what is impossible for one is told. Who has read the masses gives
// their sum, in code masses.
std::optional<std::string> odd_density(const SnapshotInfo& info,
                                       std::optional<double> mass_read = {});

}  // namespace haloscope::io
