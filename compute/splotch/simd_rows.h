#pragma once

#include "compute/splotch/splat.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

// A square piece of the image in three planes, so that a row of one channel is contiguous. Rows are
// padded by one vector, so that SIMD blocks may run over the end.
struct PlanarTile {
  static constexpr int kSide = 64;
  static constexpr int kVector = 16;  // floats: one AVX-512 register, two of AVX2
  static constexpr int kStride = kSide + kVector;
  static constexpr std::size_t kPlane = std::size_t(kSide) * kStride;

  int x0 = 0, y0 = 0;         // pixel of its first corner
  int width = 0, height = 0;  // what of it lies on the image
  float* planes = nullptr;    // 3 · kPlane floats, 64-byte aligned
};

// Adds the listed splats to the tile. Compiled for AVX-512, AVX2 and plain x86-64; the machine
// chooses at run time.
void add_flux_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                     std::size_t count);
void add_classic_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                        std::size_t count);

}  // namespace haloscope::compute::splotch
