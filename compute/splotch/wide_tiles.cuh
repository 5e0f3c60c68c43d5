#pragma once

#include "compute/splotch/levels.inl"
#include "compute/splotch/runs_cuda.cuh"

// The tiles of the picture and of its levels, in which wide splats are drawn. Those of all levels
// are numbered one after the other, so that a splat on a level is drawn in the same pass as those
// of the picture.
namespace haloscope::compute::splotch {

inline constexpr int kTile = 32;
inline constexpr unsigned kItem = 2048;  // most splats that one block draws of a crowded tile

// The tiles of a level, or of the picture.
struct WideTiling {
  int width, height;
  int columns, rows;  // of tiles
  unsigned first;     // tile
  float4* image;      // null where no splat asked for the level
  WideTiling() = default;
  WideTiling(const Cells& cells, unsigned first_tile)
      : width(cells.width),
        height(cells.height),
        columns((cells.width + kTile - 1) / kTile),
        rows((cells.height + kTile - 1) / kTile),
        first(first_tile),
        image(reinterpret_cast<float4*>(cells.rgba)) {}
  unsigned end() const { return first + unsigned(columns) * unsigned(rows); }
};

struct TilingStack {
  WideTiling level[kMostLevels + 1];
  int coarsest;    // 0: the picture alone
  unsigned tiles;  // of all levels

  TilingStack(const Cells& picture, const Levels<Cuda>* levels)
      : coarsest(levels ? levels->coarsest() : 0) {
    level[0] = WideTiling(picture, 0);
    for (int k = 1; k <= coarsest; ++k) level[k] = WideTiling(levels->asked(k), level[k - 1].end());
    tiles = level[coarsest].end();
  }
  __device__ int level_of_tile(unsigned tile) const {
    int k = coarsest;
    while (k > 0 && tile < level[k].first) --k;
    return k;
  }
  // The level of a splat.
  __device__ int level_of(float radius) const {
    return coarsest > 0 ? splotch::level_of(radius, coarsest) : 0;
  }
};

// Where the list of a tile begins, and which block draws its first splats.
struct ListStart {
  unsigned long long place;
  unsigned item;
};

// Room for lists of tiles.
struct ListRoom {
  unsigned long long places = 0;  // for pairs of a splat and a tile
  unsigned items = 0;             // blocks that draw them
};

// What came of filling lists of tiles in some room.
struct FilledLists {
  unsigned long long places;  // that they need
  unsigned items;
  unsigned lacks_room;  // 0: all is listed; else nothing
};

// About how much light falls into each tile.
struct TileLight {
  // The sum of its splats' emission, in their brightest channels; null: it is not known.
  const float* of_tile;
  unsigned least_splats;  // tiles of fewer splats tell nothing
};

// Splats by tile: those of tile t are members[starts[t].place] to members[starts[t + 1].place − 1].
// Blocks starts[t].item to starts[t + 1].item − 1 draw up to kItem of them each.
template <class S>
struct TileLists {
  const S* splats;
  const unsigned* members;
  const ListStart* starts;
  const FilledLists* filled;

  // Whether a block has something to draw: nothing of lists without room, which are made again.
  __device__ bool has_item(unsigned block) const {
    return !filled->lacks_room && block < filled->items;
  }
};

// What one block draws.
struct TileItem {
  unsigned tile;
  int level, x, y;  // first pixel of the tile in its level
  unsigned long long begin, end;
};

// The item of this block; all of its threads come together.
template <class S>
__device__ TileItem item_of_block(const TilingStack& stack, const TileLists<S>& lists,
                                  unsigned& shared_tile) {
  if (threadIdx.x == 0) {
    // Last tile whose first item is at or before this block: items are ascending, tiles without
    // splats repeat the value of the next one.
    unsigned low = 0, high = stack.tiles;
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      if (lists.starts[middle].item <= blockIdx.x)
        low = middle;
      else
        high = middle;
    }
    shared_tile = low;
  }
  __syncthreads();
  const unsigned tile = shared_tile;
  TileItem item{};
  item.tile = tile;
  item.level = stack.level_of_tile(tile);
  const WideTiling& tiling = stack.level[item.level];
  item.x = int((tile - tiling.first) % unsigned(tiling.columns)) * kTile;
  item.y = int((tile - tiling.first) / unsigned(tiling.columns)) * kTile;
  item.begin =
      lists.starts[tile].place + (unsigned long long)(blockIdx.x - lists.starts[tile].item) * kItem;
  item.end = min(item.begin + kItem, lists.starts[tile + 1].place);
  return item;
}

}  // namespace haloscope::compute::splotch
