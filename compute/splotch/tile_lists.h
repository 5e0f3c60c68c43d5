#pragma once

#include "compute/exec/cpu.h"
#include "compute/splotch/simd_rows.h"
#include "compute/splotch/splat.h"

#include <cstddef>
#include <cstdint>
#include <functional>

// Splats listed by the tiles of the image that they touch, so that the CPU's threads draw tiles
// and never meet.
namespace haloscope::compute::splotch {

struct TileGrid {
  static constexpr int kWidth = PlanarTile::kWidth, kHeight = PlanarTile::kHeight;

  int width, height, columns, rows;
  TileGrid(int w, int h)
      : width(w),
        height(h),
        columns((w + kWidth - 1) / kWidth),
        rows((h + kHeight - 1) / kHeight) {}
  std::size_t count() const { return std::size_t(columns) * std::size_t(rows); }
  // First pixel of a tile.
  int x0(std::uint32_t tile) const { return int(tile % std::uint32_t(columns)) * kWidth; }
  int y0(std::uint32_t tile) const { return int(tile / std::uint32_t(columns)) * kHeight; }
};

// Draws those of the splats that are listed in one tile, in the order of the list.
using DrawTile = std::function<void(std::uint32_t tile, const Splat* splats,
                                    const std::uint32_t* list, std::size_t count)>;

// Calls `draw` for each tile that splats of profile P touch, on all cores; with parts of the
// splats, one after the other, where their lists would be too long. A tile's list is in ascending
// order. The lists are in the executor's memory.
template <class P>
void draw_by_tile(Cpu& exec, const TileGrid& grid, const Splat* splats, std::size_t count,
                  const DrawTile& draw);

}  // namespace haloscope::compute::splotch
