#pragma once

#include "io/grids/vti_head.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// Whether an array's bytes lie in the file as they are in memory, behind their length.
bool lies_plainly(const VtiHead& head, const VtiArray& array);
std::uint64_t length_bytes(const VtiHead& head);

// The values of any other array, which are `bytes` in all: base64, compressed, or written as text.
// Throws BadFile where they are not.
std::vector<std::byte> read_vti_data(const std::string& path, const VtiHead& head,
                                     const VtiArray& array, std::uint64_t bytes);

}  // namespace haloscope::io
