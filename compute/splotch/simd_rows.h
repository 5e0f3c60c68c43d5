#pragma once

#include "compute/splotch/splat.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

// A piece of the image as wide as one vector: a splat then has one block of pixels in each row. A
// row holds its reds, then its greens, then its blues, a cache line each.
struct PlanarTile {
  static constexpr int kWidth = 16;  // floats: one AVX-512 register, two of AVX2
  static constexpr int kHeight = 64;
  static constexpr int kRow = 3 * kWidth;
  static constexpr std::size_t kFloats = std::size_t(kHeight) * kRow;

  int x0 = 0, y0 = 0;         // pixel of its first corner
  int width = 0, height = 0;  // what of it lies on the image
  float* rows = nullptr;      // kFloats, 64-byte aligned
};

// Adds the listed splats to the tile. Compiled for AVX-512, AVX2 and plain x86-64; the machine
// chooses at run time.
void add_flux_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                     std::size_t count);
void add_classic_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                        std::size_t count);

}  // namespace haloscope::compute::splotch
