#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::io {

// Mean density over that of Omega0, of a periodic box in a universe: of the masses in the header,
// where those of all types are there, or of the sum of all in code masses, by who has read them.
// Nothing where the file tells too little.
std::optional<double> density_over_omega(const SnapshotInfo& info,
                                         std::optional<double> mass_read = {});

// What would make such a density one, with its option: "lengths in Mpc/h would fit (--unit-length
// Mpc/h)".
std::string units_that_fit(const SnapshotInfo& info, double density);

// Where a cosmological box's particles all have masses from the header, their mean density must be
// Omega0's: a sentence where it is far off (and which unit of length would fit), nothing where it
// fits or where the header tells too little. Catches units that had to be guessed. A cut-out of a
// larger box has less, so only what is impossible for one is told. Who has read the masses gives
// their sum, in code masses.
std::optional<std::string> odd_density(const SnapshotInfo& info,
                                       std::optional<double> mass_read = {});

}  // namespace haloscope::io
