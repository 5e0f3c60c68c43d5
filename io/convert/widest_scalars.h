#pragma once

#include "core/snapshot_info.h"

namespace haloscope::io {

// The snapshot's facts with each field of the scalar type that holds the values of every file of
// the set: runs that outgrow 32-bit IDs, or switch precision, leave sets of mixed types, of which
// opening a set sees the first file's alone. Floating point goes before integers, 64 bits before
// 32, unsigned before signed of 64 bits. Opens every HDF5 file of the set once; the files of other
// formats are of one type.
SnapshotInfo with_widest_scalars(SnapshotInfo info);

}  // namespace haloscope::io
