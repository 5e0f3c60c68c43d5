#pragma once

#include <cstddef>
#include <cstdint>

namespace haloscope::io {

// The CRC-64 of GenericIO: ECMA-182's polynomial, bits reflected, starting from all ones. The
// writer appends eight check bytes in the order that brings the register to zero, whatever the
// file's byte order; the whole is intact if it ends there. (Its own code inverts the register at
// the end and compares with 2^64 - 1.)
class GenericIoChecksum {
 public:
  void add(const void* data, std::size_t bytes);
  bool intact() const { return register_ == 0; }
  // To be appended, lowest byte first.
  std::uint64_t check_word() const { return register_; }

 private:
  std::uint64_t register_ = ~std::uint64_t(0);
};

}  // namespace haloscope::io
