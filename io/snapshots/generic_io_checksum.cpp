#include "io/snapshots/generic_io_checksum.h"

#include <array>
#include <cstring>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;  // ECMA-182, reflected

using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

// tables[k][b]: what byte b does to the register when k zero bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t word = b;
    for (int bit = 0; bit < 8; ++bit) word = word & 1 ? word >> 1 ^ kPolynomial : word >> 1;
    tables[0][b] = word;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 0xff];
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

void GenericIoChecksum::add(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t crc = register_;
  // Eight bytes at a time, each through the table of its distance from the end.
  for (; bytes >= 8; bytes -= 8, at += 8) {
    for (int i = 0; i < 8; ++i) crc ^= std::uint64_t(at[i]) << (8 * i);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) next ^= kTables[7 - i][crc >> (8 * i) & 0xff];
    crc = next;
  }
  for (; bytes > 0; --bytes, ++at) crc = crc >> 8 ^ kTables[0][(crc ^ *at) & 0xff];
  register_ = crc;
}

}  // namespace haloscope::io
