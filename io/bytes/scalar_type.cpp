#include "io/bytes/scalar_type.h"

namespace haloscope::io {

std::size_t scalar_bytes(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::Float32:
    case ScalarType::Int32:
    case ScalarType::UInt32:
      return 4;
    default:
      return 8;
  }
}

const char* scalar_name(ScalarType scalar) {
  static const char* const names[] = {"float32", "float64", "int32", "uint32", "int64", "uint64"};
  return names[int(scalar)];
}

}  // namespace haloscope::io
