#pragma once

#include "compute/splotch/map_sum.h"
#include "compute/splotch/splat.h"
#include "compute/splotch/tile_lists.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

// A tile of a map: per channel and pixel the deposits of one level, in its quanta. Or of light in
// units (light_sum.h): three channels.
struct MapTile {
  static constexpr int kMostChannels = 3;
  static constexpr int kWidth = TileGrid::kWidth, kHeight = TileGrid::kHeight;
  static constexpr std::size_t kPixels = std::size_t(kWidth) * kHeight;

  int x0 = 0, y0 = 0;         // pixel of its first corner
  int width = 0, height = 0;  // what of it lies on the image
  int channels = 1;
  std::int64_t* sums[kMostChannels]{};  // kPixels each, 64-byte aligned
  double per_unit[kMostChannels]{};     // quanta in 1
};

// Adds the listed splats to the tile; of a map at most MapQuanta::kAdditions of them fit. Compiled
// as add_flux_splats is, and the same deposits to the bit for each instruction set.
void add_map_splats(const MapTile& tile, const Splat* splats, const std::uint32_t* list,
                    std::size_t count);

}  // namespace haloscope::compute::splotch
