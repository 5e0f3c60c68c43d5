#pragma once

#include "compute/splotch/light_sum.h"
#include "compute/splotch/map_sum.h"
#include "compute/splotch/splat.h"
#include "compute/splotch/tile_lists.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

// A tile of a map: per channel and pixel the deposits of one level, in its quanta.
struct MapTile {
  static constexpr int kWidth = TileGrid::kWidth, kHeight = TileGrid::kHeight;
  static constexpr std::size_t kPixels = std::size_t(kWidth) * kHeight;

  int x0 = 0, y0 = 0;         // pixel of its first corner
  int width = 0, height = 0;  // what of it lies on the image
  int channels = 1;
  std::int64_t* sums[MapTarget::kMostChannels]{};  // kPixels each, 64-byte aligned
  double per_unit[MapTarget::kMostChannels]{};     // quanta in 1
};

// Adds the listed splats to the tile; at most MapQuanta::kAdditions of them fit. Compiled as
// add_flux_splats is, and the same deposits to the bit for each instruction set.
void add_map_splats(const MapTile& tile, const Splat* splats, const std::uint32_t* list,
                    std::size_t count);

// A tile of a picture in whole numbers (light_sum.h). A row holds its reds, then its greens, then
// its blues, modulo 2⁶⁴; each of them is kLightOffset too large for each row of a splat that was
// added.
struct LightTile {
  static constexpr int kWidth = MapTile::kWidth, kHeight = MapTile::kHeight;
  static constexpr int kRow = 3 * kWidth;
  static constexpr std::size_t kWords = std::size_t(kHeight) * kRow;

  int x0 = 0, y0 = 0, width = 0, height = 0;  // as of MapTile
  std::uint64_t* rows = nullptr;              // kWords, 64-byte aligned
  std::uint64_t* added = nullptr;             // kHeight: how many rows of splats each row got
  double per_unit = 0;                        // units in 1
};

// Adds the listed splats to the tile. Compiled as add_map_splats is.
void add_light_splats(const LightTile& tile, const Splat* splats, const std::uint32_t* list,
                      std::size_t count);

}  // namespace haloscope::compute::splotch
