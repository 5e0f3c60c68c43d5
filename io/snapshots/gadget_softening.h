#pragma once

#include "core/snapshot_info.h"

#include <optional>

namespace haloscope::io {

// The gravitational softening of a particle type as GADGET-4, AREPO and SWIFT note it in
// /Parameters: Plummer equivalent, in code lengths (comoving where those are), at the snapshot's
// time. Nothing where the file does not say.
std::optional<double> stored_softening(const SnapshotInfo& info, int type);

}  // namespace haloscope::io
