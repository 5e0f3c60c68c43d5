#pragma once

#include "core/snapshot_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A number as a table stores it; 1- and 2-byte integers are widened to 4 bytes when read.
struct StoredNumber {
  bool is_float = true;
  bool is_signed = true;
  int bytes = 4;

  bool operator==(const StoredNumber&) const = default;
};

// What a stored number becomes in memory; nothing where it is of no kind that we read.
std::optional<ScalarType> scalar_of(const StoredNumber& number);

// Puts `count` stored numbers, `from_stride` bytes apart, into every `to_stride`-th element of
// `to`, whose elements are scalar_of(number); `swap` reverses the bytes of each. Neither side needs
// to be aligned. The number must be of a kind that scalar_of knows.
void gather_numbers(const unsigned char* from, std::size_t from_stride, std::size_t count,
                    const StoredNumber& number, bool swap, unsigned char* to,
                    std::size_t to_stride);

}  // namespace haloscope::io
