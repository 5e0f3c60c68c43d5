#include "compute/splotch/map_tiles_cpu.h"

#include "compute/splotch/map_rows.h"
#include "compute/splotch/tile_lists.h"
#include "core/array.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace haloscope::compute::splotch {

namespace {

constexpr int kKeys = MapQuanta::kLevels * MapQuanta::kLevels;

// The levels of a splat's channels as one number.
std::uint8_t key_of(const Splat& s, const MapTarget& target) {
  int key = 0;
  for (int c = target.channels - 1; c >= 0; --c)
    key = key * MapQuanta::kLevels + target.quanta[c].level(s.emission[c], s.radius);
  return std::uint8_t(key);
}

// One thread's memory.
struct Scratch {
  Array<std::int64_t> sums{MapTarget::kMostChannels * MapTile::kPixels};
  std::vector<std::uint32_t> by_key;
};

// Adds what the tile holds to the map.
void flush(const MapTile& tile, const int* shifts, const MapTarget& target) {
  for (int c = 0; c < tile.channels; ++c)
    for (int y = 0; y < tile.height; ++y) {
      const std::int64_t* row = tile.sums[c] + y * MapTile::kWidth;
      MapSum* out = target.sums[c] + std::size_t(tile.y0 + y) * std::size_t(target.width) +
                    std::size_t(tile.x0);
      for (int x = 0; x < tile.width; ++x)
        if (row[x] != 0) add(out[x], shifted(row[x], shifts[c]));
    }
}

// Splats of one key.
void add_listed(MapTile& tile, int key, const Splat* splats, const std::uint32_t* list,
                std::size_t count, const MapTarget& target) {
  int shifts[MapTarget::kMostChannels];
  for (int c = 0; c < tile.channels; ++c, key /= MapQuanta::kLevels) {
    const int level = key % MapQuanta::kLevels;
    tile.per_unit[c] = target.quanta[c].per_unit[level];
    shifts[c] = MapQuanta::shift(level);
  }
  constexpr std::size_t kMost = MapQuanta::kAdditions;
  for (std::size_t first = 0; first < count; first += kMost) {
    for (int c = 0; c < tile.channels; ++c)
      std::memset(tile.sums[c], 0, MapTile::kPixels * sizeof(std::int64_t));
    add_map_splats(tile, splats, list + first, std::min(kMost, count - first));
    flush(tile, shifts, target);
  }
}

}  // namespace

void add_to_map(Cpu& exec, const Splat* splats, std::size_t count, const MapTarget& target) {
  const TileGrid grid(target.width, target.height);
  Array<std::uint8_t> keys(count);
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, count, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) keys[i] = key_of(splats[i], target);
  });
  ::tbb::enumerable_thread_specific<Scratch> scratch;
  draw_by_tile<FluxProfile>(
      exec, grid, splats, count,
      [&](std::uint32_t index, const Splat* from, const std::uint32_t* list, std::size_t length) {
        Scratch& own = scratch.local();
        MapTile tile;
        tile.x0 = grid.x0(index);
        tile.y0 = grid.y0(index);
        tile.width = std::min(TileGrid::kWidth, target.width - tile.x0);
        tile.height = std::min(TileGrid::kHeight, target.height - tile.y0);
        tile.channels = target.channels;
        for (int c = 0; c < tile.channels; ++c)
          tile.sums[c] = own.sums.data() + std::size_t(c) * MapTile::kPixels;
        // Most tiles have splats of one key only.
        const std::uint8_t* const key = keys.data() + (from - splats);
        std::size_t counts[kKeys] = {};
        for (std::size_t k = 0; k < length; ++k) ++counts[key[list[k]]];
        for (int wanted = 0; wanted < kKeys; ++wanted) {
          if (counts[wanted] == 0) continue;
          const std::uint32_t* chosen = list;
          if (counts[wanted] < length) {
            own.by_key.clear();
            std::copy_if(list, list + length, std::back_inserter(own.by_key),
                         [&](std::uint32_t i) { return int(key[i]) == wanted; });
            chosen = own.by_key.data();
          }
          add_listed(tile, wanted, from, chosen, counts[wanted], target);
        }
      });
}

}  // namespace haloscope::compute::splotch
