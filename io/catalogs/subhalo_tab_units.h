#pragma once

#include "core/units.h"

#include <string>

namespace haloscope::io {

// Unit of a dataset of a fof_subhalo_tab catalog by its name: neither code stores it there. The two
// differ where subhalos are concerned: AREPO's radii are comoving, GADGET-4's SubhaloHalfmassRad
// and SubhaloVmaxRad physical (found by measuring members of its own snapshots). GroupVel is a
// times the peculiar velocity in both, SubhaloVel the peculiar velocity itself. Empty where it is
// dimensionless or unknown.
std::string subhalo_tab_unit(const std::string& dataset, const Units& units, bool gadget4);

}  // namespace haloscope::io
