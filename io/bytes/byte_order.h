#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace haloscope::io {

inline std::uint8_t swapped(std::uint8_t v) {
  return v;
}
inline std::uint16_t swapped(std::uint16_t v) {
  return __builtin_bswap16(v);
}
inline std::uint32_t swapped(std::uint32_t v) {
  return __builtin_bswap32(v);
}
inline std::uint64_t swapped(std::uint64_t v) {
  return __builtin_bswap64(v);
}

// Reverses the bytes of each of `count` values of 4 or 8 bytes in place.
inline void swap_values(void* data, std::size_t count, std::size_t bytes_per_value) {
  if (bytes_per_value == 4) {
    auto* values = static_cast<std::uint32_t*>(data);
    for (std::size_t i = 0; i < count; ++i) values[i] = swapped(values[i]);
  } else {
    auto* values = static_cast<std::uint64_t*>(data);
    for (std::size_t i = 0; i < count; ++i) values[i] = swapped(values[i]);
  }
}

// The value of 4 or 8 bytes at `bytes`, written in the other byte order where `swap` is set.
template <class T>
T value_at(const char* bytes, bool swap) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T value;
  if constexpr (sizeof(T) == 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes, 4);
    if (swap) word = swapped(word);
    std::memcpy(&value, &word, 4);
  } else {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    if (swap) word = swapped(word);
    std::memcpy(&value, &word, 8);
  }
  return value;
}

}  // namespace haloscope::io
