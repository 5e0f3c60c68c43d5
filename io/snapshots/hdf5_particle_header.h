#pragma once

#include "io/snapshots/gadget_header.h"
#include "io/snapshots/hdf5_dialect.h"

#include <hdf5.h>

#include <string>

namespace haloscope::io {

// What the header of one file says; its counts come from the datasets where it has none. Codes keep
// the same facts in /Header (Gadget, AREPO, GIZMO, EAGLE) or /Parameters (GADGET-4); either is
// taken, /Header first. SWIFT's places are in swift_header.h. Throws BadFile where numbers make no
// sense (a box of negative or infinite size).
GadgetHeader read_hdf5_header(hid_t file, const std::string& path, Hdf5Dialect dialect);

}  // namespace haloscope::io
