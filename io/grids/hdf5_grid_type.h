#pragma once

#include "core/grid.h"

#include <hdf5.h>

namespace haloscope::io {

// The type of a grid's values in memory, as HDF5 calls it.
hid_t hdf5_grid_type(GridScalar scalar);

}  // namespace haloscope::io
