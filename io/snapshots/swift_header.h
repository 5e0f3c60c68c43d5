#pragma once

#include "io/snapshots/gadget_header.h"

#include <hdf5.h>

namespace haloscope::io {

// Adds to `header` what SWIFT keeps in places of its own: the scale factor beside a Time that is a
// time, /Cosmology, /Units (of the file; /InternalCodeUnits are those of the run) and the edges of
// the box. SWIFT's units carry no h.
void read_swift_header(hid_t file, GadgetHeader& header);

// How many smoothing lengths a kernel's support radius is: SWIFT stores h = 2 sigma of the kernel,
// gamma = H/h depends on its shape (Dehnen & Aly 2012, table 1, in three dimensions).
struct SwiftKernel {
  double support_per_h = 1.825742;  // cubic spline
  bool known = false;
  std::string name;  // as stored, empty when it is not
};
SwiftKernel read_swift_kernel(hid_t file);

// True where the file holds links to the data of others (/Header@Virtual).
bool is_swift_virtual(hid_t file);

}  // namespace haloscope::io
