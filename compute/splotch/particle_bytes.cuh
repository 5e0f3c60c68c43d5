#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/points.inl"
#include "compute/splotch/settings.h"

#include <algorithm>
#include <cstdint>

// What particles take of a GPU's memory.
namespace haloscope::compute::splotch {

// Bytes per particle on the device: three coordinates, radius, colors, weight.
inline std::uint64_t bytes_per_particle(const TypeInput& in) {
  std::uint64_t words = 4 + (in.weight ? 1 : 0);
  for (const float* c : in.color) words += c ? 1 : 0;
  return 4 * words;
}

// The same with room for a color that the type may get later (recolor).
inline std::uint64_t most_bytes_per_particle(const TypeInput& in) {
  return bytes_per_particle(in) + (in.color[0] ? 0 : 4);
}

// What a type's particles take on the device once they are placed there, and how much more while
// they are. Sorting holds keys, values and their doubles beside the columns; of many particles it
// is done before their columns are there (PointsOn), and values take the place of their rows
// (gathered_by_host_order).
struct BytesOfType {
  std::uint64_t placed, while_placed;
  explicit BytesOfType(const TypeInput& in) {
    const bool frugal = in.count >= spatial::PointsOn<Cuda>::kFrugalFrom;
    constexpr std::uint64_t kPacked = 13;  // and some loose blocks
    const std::uint64_t columns = bytes_per_particle(in) - 16;
    const std::uint64_t each = (in.packed ? kPacked : 16) + columns + (in.rows_aside ? 0 : 4);
    placed = in.count * each;
    constexpr std::uint64_t kSorting = 20, kInOrder = 2;
    while_placed = in.count * (!frugal         ? 48
                               : in.rows_aside ? std::max(kSorting, each + kInOrder) - each
                                               : 8);
  }
};

}  // namespace haloscope::compute::splotch
