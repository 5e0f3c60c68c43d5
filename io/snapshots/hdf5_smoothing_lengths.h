#pragma once

#include "core/snapshot_info.h"
#include "io/snapshots/hdf5_dialect.h"
#include "io/snapshots/swift_header.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// The support of a cell: twice the radius of the sphere of its volume, as yt has it, so that the
// kernels of neighboring cells overlap.
constexpr double kSupportPerCellRadius = 2;

// Where the kernel's support radius of a type's particles comes from, by the code's custom; nothing
// where the file has neither lengths nor cells. What is a choice is said in `assumed`.
std::optional<SmoothingLengthMeaning> hdf5_smoothing_length(Hdf5Dialect dialect, int number,
                                                            const TypeInfo& type,
                                                            const SwiftKernel& kernel,
                                                            Assumptions& assumed);

}  // namespace haloscope::io
