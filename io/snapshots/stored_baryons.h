#pragma once

#include "core/snapshot_info.h"

#include <optional>

namespace haloscope::io {

// OmegaBaryon as GADGET-4, AREPO, EAGLE and SWIFT note it in their HDF5 snapshots. Nothing where
// the file does not say, or says 0.
std::optional<double> stored_omega_baryon(const SnapshotInfo& info);

}  // namespace haloscope::io
