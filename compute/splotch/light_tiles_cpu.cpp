#include "compute/splotch/light_tiles_cpu.h"

#include "compute/splotch/map_rows.h"
#include "compute/splotch/tile_lists.h"
#include "core/array.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>

namespace haloscope::compute::splotch {

namespace {

// One thread's memory.
struct LightScratch {
  Array<std::uint64_t> words{LightTile::kWords + std::size_t(LightTile::kHeight)};
};

// Adds what the tile holds to the picture.
void flush_light(const LightTile& tile, const LightTarget& target) {
  for (int y = 0; y < tile.height; ++y) {
    std::int64_t* out = target.rgb + 3 * (std::size_t(tile.y0 + y) * std::size_t(target.width) +
                                          std::size_t(tile.x0));
    const std::uint64_t offset = tile.added[y] * kLightOffset;
    for (int x = 0; x < tile.width; ++x)
      for (int c = 0; c < 3; ++c)
        out[3 * x + c] +=
            std::int64_t(tile.rows[y * LightTile::kRow + c * LightTile::kWidth + x] - offset);
  }
}

}  // namespace

void add_to_light(Cpu& exec, const Splat* splats, std::size_t count, const LightTarget& target) {
  const TileGrid grid(target.width, target.height);
  ::tbb::enumerable_thread_specific<LightScratch> scratch;
  draw_by_tile<FluxProfile>(
      exec, grid, splats, count,
      [&](std::uint32_t index, const Splat* from, const std::uint32_t* list, std::size_t length) {
        Array<std::uint64_t>& own = scratch.local().words;
        std::memset(own.data(), 0, own.size() * sizeof own[0]);
        LightTile tile;
        tile.x0 = grid.x0(index);
        tile.y0 = grid.y0(index);
        tile.width = std::min(TileGrid::kWidth, target.width - tile.x0);
        tile.height = std::min(TileGrid::kHeight, target.height - tile.y0);
        tile.per_unit = target.unit.per_unit;
        tile.rows = own.data();
        tile.added = own.data() + LightTile::kWords;
        add_light_splats(tile, from, list, length);
        flush_light(tile, target);
      });
}

LightPeaks peaks_of(const Splat* splats, std::size_t count) {
  return ::tbb::parallel_reduce(
      ::tbb::blocked_range<std::size_t>(0, count, 8192), LightPeaks{},
      [&](const ::tbb::blocked_range<std::size_t>& range, LightPeaks peaks) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) peaks.add(light_peak(splats[i]));
        return peaks;
      },
      AddPeaks{});
}

}  // namespace haloscope::compute::splotch
