#include "io/snapshots/table_values.h"

#include "io/bytes/byte_order.h"

#include <cstring>
#include <type_traits>

namespace haloscope::io {

namespace {

template <int Bytes>
struct Word;
template <>
struct Word<1> {
  using Type = std::uint8_t;
};
template <>
struct Word<2> {
  using Type = std::uint16_t;
};
template <>
struct Word<4> {
  using Type = std::uint32_t;
};
template <>
struct Word<8> {
  using Type = std::uint64_t;
};

template <bool Swap, class Stored, class Kept>
void gather(const unsigned char* from, std::size_t from_stride, std::size_t count,
            unsigned char* to, std::size_t to_stride) {
  using Bits = typename Word<sizeof(Stored)>::Type;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * from_stride, sizeof bits);
    if constexpr (Swap) bits = swapped(bits);
    Stored stored;
    std::memcpy(&stored, &bits, sizeof stored);
    const Kept kept = stored;
    std::memcpy(to + i * to_stride * sizeof kept, &kept, sizeof kept);
  }
}

template <class Stored, class Kept>
void gather_as(const unsigned char* from, std::size_t from_stride, std::size_t count, bool swap,
               unsigned char* to, std::size_t to_stride) {
  if (swap)
    gather<true, Stored, Kept>(from, from_stride, count, to, to_stride);
  else
    gather<false, Stored, Kept>(from, from_stride, count, to, to_stride);
}

}  // namespace

std::optional<ScalarType> scalar_of(const StoredNumber& number) {
  if (number.is_float) {
    if (number.bytes == 4) return ScalarType::Float32;
    if (number.bytes == 8) return ScalarType::Float64;
    return std::nullopt;
  }
  switch (number.bytes) {
    case 1:
    case 2:
    case 4:
      return number.is_signed ? ScalarType::Int32 : ScalarType::UInt32;
    case 8:
      return number.is_signed ? ScalarType::Int64 : ScalarType::UInt64;
    default:
      return std::nullopt;
  }
}

void gather_numbers(const unsigned char* from, std::size_t from_stride, std::size_t count,
                    const StoredNumber& number, bool swap, unsigned char* to,
                    std::size_t to_stride) {
  // Bits are moved, not values: a 4- or 8-byte number is the same word whatever it means.
  if (number.bytes == 8)
    return gather_as<std::uint64_t, std::uint64_t>(from, from_stride, count, swap, to, to_stride);
  if (number.bytes == 4)
    return gather_as<std::uint32_t, std::uint32_t>(from, from_stride, count, swap, to, to_stride);
  if (number.bytes == 2 && number.is_signed)
    return gather_as<std::int16_t, std::int32_t>(from, from_stride, count, swap, to, to_stride);
  if (number.bytes == 2)
    return gather_as<std::uint16_t, std::uint32_t>(from, from_stride, count, swap, to, to_stride);
  if (number.is_signed)
    return gather_as<std::int8_t, std::int32_t>(from, from_stride, count, swap, to, to_stride);
  gather_as<std::uint8_t, std::uint32_t>(from, from_stride, count, swap, to, to_stride);
}

}  // namespace haloscope::io
