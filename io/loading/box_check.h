#pragma once

#include "core/particles.h"
#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::io {

// A sentence where more than 1 % of a type's particles lie outside a periodic box whose side the
// user gave: wrapped into it they lie among others, and a picture looks like one. Nothing for the
// file's own box, which codes may leave by a step.
std::optional<std::string> box_misfit(const SnapshotInfo& info, const std::string& type,
                                      const LoadCounts& counts);

}  // namespace haloscope::io
