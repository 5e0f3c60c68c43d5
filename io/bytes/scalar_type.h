#pragma once

#include "core/snapshot_info.h"

#include <cstddef>

namespace haloscope::io {

// Of one value in memory.
std::size_t scalar_bytes(ScalarType scalar);

// "float32", as numpy has it.
const char* scalar_name(ScalarType scalar);

}  // namespace haloscope::io
