#pragma once

#include "core/host_device.h"

#include <cstdint>
#include <type_traits>

// Values as whole numbers in the same order, so that integer comparisons and atomics serve all
// types.
namespace haloscope::compute::topology {

// How ordered bits are read again.
enum class ValueKind { Real, Signed, Unsigned };

template <class T>
inline constexpr ValueKind kKindOf = std::is_floating_point_v<T> ? ValueKind::Real
                                     : std::is_signed_v<T>       ? ValueKind::Signed
                                                                 : ValueKind::Unsigned;

template <class To, class From>
HALOSCOPE_HD To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  union {
    From from;
    To to;
  } word{from};
  return word.to;
}

inline constexpr std::uint32_t kSign32 = 1u << 31;
inline constexpr std::uint64_t kSign64 = std::uint64_t(1) << 63;

// A value in 64 bits; floats are widened, which keeps their order.
template <class T>
HALOSCOPE_HD std::uint64_t ordered_bits(T value) {
  if constexpr (kKindOf<T> == ValueKind::Real) {
    double wide = double(value);
    if (wide == 0) wide = 0;  // no sign
    const auto bits = same_bits<std::uint64_t>(wide);
    return bits & kSign64 ? ~bits : bits | kSign64;
  } else if constexpr (kKindOf<T> == ValueKind::Signed) {
    return std::uint64_t(std::int64_t(value)) ^ kSign64;
  } else {
    return value;
  }
}

// A value of at most 32 bits in 32 bits.
template <class T>
HALOSCOPE_HD std::uint32_t short_ordered_bits(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint32_t));
  if constexpr (kKindOf<T> == ValueKind::Real) {
    if (value == 0) value = 0;
    const auto bits = same_bits<std::uint32_t>(value);
    return bits & kSign32 ? ~bits : bits | kSign32;
  } else if constexpr (kKindOf<T> == ValueKind::Signed) {
    return std::uint32_t(std::int32_t(value)) ^ kSign32;
  } else {
    return value;
  }
}

// The ordered bits of a value from its short ones.
template <class T>
HALOSCOPE_HD std::uint64_t widened_bits(std::uint32_t ordered) {
  if constexpr (kKindOf<T> == ValueKind::Real)
    return ordered_bits(same_bits<float>(ordered & kSign32 ? ordered & ~kSign32 : ~ordered));
  if constexpr (kKindOf<T> == ValueKind::Signed)
    return std::uint64_t(std::int64_t(std::int32_t(ordered ^ kSign32))) ^ kSign64;
  return ordered;
}

// Values from one to another; none where the first is the larger.
struct KeptRange {
  std::uint64_t low = 0, high = ~std::uint64_t(0);
  HALOSCOPE_HD bool holds(std::uint64_t bits) const { return low <= bits && bits <= high; }
};

HALOSCOPE_HD inline double real_of(std::uint64_t bits) {
  return same_bits<double>(bits & kSign64 ? bits & ~kSign64 : ~bits);
}

// The value of ordered bits, exact.
template <class T>
T value_of(std::uint64_t bits) {
  if constexpr (kKindOf<T> == ValueKind::Real) return T(real_of(bits));
  if constexpr (kKindOf<T> == ValueKind::Signed) return T(std::int64_t(bits ^ kSign64));
  return T(bits);
}

// The nearest double.
HALOSCOPE_HD inline double number_of(ValueKind kind, std::uint64_t bits) {
  if (kind == ValueKind::Real) return real_of(bits);
  if (kind == ValueKind::Signed) return double(std::int64_t(bits ^ kSign64));
  return double(bits);
}

}  // namespace haloscope::compute::topology
