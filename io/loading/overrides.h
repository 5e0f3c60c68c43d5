#pragma once

#include "io/snapshot_reader.h"

namespace haloscope::io {

// Replaces facts of an open snapshot, whatever its format: units with the fields' own units and
// scalings, h, box, and the meaning of smoothing lengths. Says each in info.assumed, and takes out
// what it makes untrue. Throws Error where the facts contradict one another.
//
// Where only one of the units of length and mass is given, and it differs from the file's in
// carrying 1/h, the other stays the same in physical terms.
void apply_overrides(const Overrides& overrides, SnapshotInfo& info);

}  // namespace haloscope::io
