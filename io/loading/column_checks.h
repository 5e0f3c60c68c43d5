#pragma once

#include "core/array.h"

#include <cstdint>

namespace haloscope::io {

// How many values are not numbers between `low` and `high`, both included. In parallel.
std::uint64_t count_outside(const Array<float>& column, float low, float high);

}  // namespace haloscope::io
