#pragma once

#include "core/snapshot_info.h"

#include <string>

namespace haloscope::analysis {

// Name of the field, stored or derived, that holds temperatures of a type; empty: none.
std::string temperature_field(const SnapshotInfo& info, int type);

}  // namespace haloscope::analysis
