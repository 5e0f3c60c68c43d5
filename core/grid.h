#pragma once

#include "core/array.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

namespace haloscope {

// Element type of a grid, which keeps its own.
enum class GridScalar {
  Float32,
  Float64,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64
};

// Calls f with a value of the type.
template <class F>
auto with_grid_type(GridScalar scalar, const F& f) {
  switch (scalar) {
    case GridScalar::Float64:
      return f(double{});
    case GridScalar::Int8:
      return f(std::int8_t{});
    case GridScalar::UInt8:
      return f(std::uint8_t{});
    case GridScalar::Int16:
      return f(std::int16_t{});
    case GridScalar::UInt16:
      return f(std::uint16_t{});
    case GridScalar::Int32:
      return f(std::int32_t{});
    case GridScalar::UInt32:
      return f(std::uint32_t{});
    case GridScalar::Int64:
      return f(std::int64_t{});
    case GridScalar::UInt64:
      return f(std::uint64_t{});
    default:
      return f(float{});
  }
}

inline std::size_t grid_scalar_bytes(GridScalar scalar) {
  return with_grid_type(scalar, [](auto value) { return sizeof(value); });
}

template <class T>
constexpr GridScalar grid_scalar_of() {
  using S = GridScalar;
  if constexpr (std::is_same_v<T, float>) return S::Float32;
  if constexpr (std::is_same_v<T, double>) return S::Float64;
  if constexpr (std::is_same_v<T, std::int8_t>) return S::Int8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return S::UInt8;
  if constexpr (std::is_same_v<T, std::int16_t>) return S::Int16;
  if constexpr (std::is_same_v<T, std::uint16_t>) return S::UInt16;
  if constexpr (std::is_same_v<T, std::int32_t>) return S::Int32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return S::UInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return S::Int64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return S::UInt64;
}

// Values at the centers of cells of a box, in host memory and C's order: x is the slowest axis.
struct Grid {
  std::array<std::uint64_t, 3> cells{1, 1, 1};
  GridScalar scalar = GridScalar::Float32;
  Array<std::byte> bytes;  // of the values, in this machine's order
  std::string name;        // of what they are
  std::string unit;        // of the values; empty: not known
  // Where the first cell begins and the sides of a cell, in length_unit.
  std::array<double, 3> low{0, 0, 0}, spacing{1, 1, 1};
  std::string length_unit;
  std::optional<std::array<bool, 3>> periodic;    // nothing: the file does not tell
  std::map<std::string, std::string> provenance;  // how it was made; "Program" first of all

  std::uint64_t count() const { return cells[0] * cells[1] * cells[2]; }
  // The values, of which T must be the type.
  template <class T>
  const T* values() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
  template <class T>
  T* values() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

}  // namespace haloscope
