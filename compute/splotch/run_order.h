#pragma once

#include <algorithm>

namespace haloscope::compute::splotch {

// Plain runs that fall into windows, in the order of their places on the image, and what it takes
// to sort them: by kind and brightness (kKinds), then by tile, in Morton order.
struct RunOrder {
  static constexpr unsigned kKinds = 12;
  struct Place {
    unsigned bin,
        rank;  // which of its bin the run is; from bin_count on of those that are not sorted
  };

  unsigned* runs = nullptr;  // room for all; null: runs stay as they lie in memory
  Place* places = nullptr;   // of each run
  unsigned* bins = nullptr;  // where each begins in `runs`, and where the last one ends
  unsigned bin_count = 0;
  int tile = 0;       // side in pixels
  int tile_bits = 0;  // of a tile's column and row
};

// How the runs of an image of this size are sorted, without memory. Tiles are so small that runs
// larger than a window less a tile are few, and of large images not too many.
inline RunOrder order_for(int width, int height) {
  constexpr int kTile = 16, kMostBits = 9;
  RunOrder out;
  const int side = std::max(width, height);
  while (out.tile_bits < kMostBits && kTile << out.tile_bits < side) ++out.tile_bits;
  const int tiles = 1 << out.tile_bits;
  out.tile = std::max(kTile, (side + tiles - 1) / tiles);
  out.bin_count = RunOrder::kKinds << 2 * out.tile_bits;
  return out;
}

}  // namespace haloscope::compute::splotch
