#include "io/grids/hdf5_grid_type.h"

namespace haloscope::io {

hid_t hdf5_grid_type(GridScalar scalar) {
  switch (scalar) {
    case GridScalar::Float64:
      return H5T_NATIVE_DOUBLE;
    case GridScalar::Int8:
      return H5T_NATIVE_INT8;
    case GridScalar::UInt8:
      return H5T_NATIVE_UINT8;
    case GridScalar::Int16:
      return H5T_NATIVE_INT16;
    case GridScalar::UInt16:
      return H5T_NATIVE_UINT16;
    case GridScalar::Int32:
      return H5T_NATIVE_INT32;
    case GridScalar::UInt32:
      return H5T_NATIVE_UINT32;
    case GridScalar::Int64:
      return H5T_NATIVE_INT64;
    case GridScalar::UInt64:
      return H5T_NATIVE_UINT64;
    default:
      return H5T_NATIVE_FLOAT;
  }
}

}  // namespace haloscope::io
