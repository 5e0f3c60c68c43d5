#pragma once

#include "io/snapshot_reader.h"

#include <cstdint>

namespace haloscope::io {

// Calls `f` with the chunk's data as a pointer to its own element type, so that the type is looked
// at once per chunk and not once per value.
template <class F>
void with_typed_data(const ColumnChunk& chunk, F&& f) {
  switch (chunk.scalar) {
    case ScalarType::Float32:
      return f(static_cast<const float*>(chunk.data));
    case ScalarType::Float64:
      return f(static_cast<const double*>(chunk.data));
    case ScalarType::Int32:
      return f(static_cast<const std::int32_t*>(chunk.data));
    case ScalarType::UInt32:
      return f(static_cast<const std::uint32_t*>(chunk.data));
    case ScalarType::Int64:
      return f(static_cast<const std::int64_t*>(chunk.data));
    case ScalarType::UInt64:
      return f(static_cast<const std::uint64_t*>(chunk.data));
  }
}

}  // namespace haloscope::io
