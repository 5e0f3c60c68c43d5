#include "compute/splotch/tile_lists.h"

#include "compute/exec/buffer.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <tuple>
#include <vector>

namespace haloscope::compute::splotch {

namespace {

constexpr int kWidth = TileGrid::kWidth, kHeight = TileGrid::kHeight;

constexpr int kTogether = 8;  // tiles side by side that one thread draws, where there are enough

// The tiles that a splat touches: columns x0 … x1 and rows y0 … y1, none where x1 < x0.
struct TileSpan {
  std::uint16_t x0, x1, y0, y1;
};

template <class P>
TileSpan span_of(const TileGrid& grid, const Splat& s) {
  int x0 = s.ix, x1 = s.ix, y0 = s.iy, y1 = s.iy;
  if (s.radius > kSmallRadius) {
    const float extent = P::extent(s.radius);
    const PixelRange x = pixel_range(s.ix, s.fx, extent, 0, grid.width);
    const PixelRange y = pixel_range(s.iy, s.fy, extent, 0, grid.height);
    x0 = x.first, x1 = x.last, y0 = y.first, y1 = y.last;
  }
  if (x1 < x0 || y1 < y0) return {1, 0, 1, 0};
  return {std::uint16_t(x0 / kWidth), std::uint16_t(x1 / kWidth), std::uint16_t(y0 / kHeight),
          std::uint16_t(y1 / kHeight)};
}

// How many splats touch each tile, and where each splat goes. Counted as differences along both
// axes: four additions without a branch, however many tiles a splat touches.
template <class P>
void count_by_tile(const TileGrid& grid, const Splat* splats, std::size_t count, TileSpan* spans,
                   std::uint32_t* counts) {
  const std::size_t columns = std::size_t(grid.columns), stride = columns + 1;
  std::vector<std::uint32_t> differences(stride * (std::size_t(grid.rows) + 1), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const TileSpan s = spans[i] = span_of<P>(grid, splats[i]);
    std::uint32_t* const first = differences.data() + s.y0 * stride;
    std::uint32_t* const beyond = differences.data() + (s.y1 + 1u) * stride;
    ++first[s.x0];
    --first[s.x1 + 1];
    --beyond[s.x0];
    ++beyond[s.x1 + 1];
  }
  for (std::size_t tile = 0, y = 0; y < std::size_t(grid.rows); ++y) {
    std::uint32_t sum = 0;
    for (std::size_t x = 0; x < columns; ++x, ++tile) {
      sum += differences[y * stride + x];
      counts[tile] = sum + (y > 0 ? counts[tile - columns] : 0);
    }
  }
}

template <class F>
void for_each_tile(const TileGrid& grid, const TileSpan& span, const F& f) {
  for (std::size_t row = span.y0; row <= span.y1; ++row)
    for (std::size_t column = span.x0; column <= span.x1; ++column)
      f(row * std::size_t(grid.columns) + column);
}

// For each tile, which splats touch it, in ascending order. No members where they would be more
// than kMostPairs: splats as wide as the image touch every tile.
constexpr std::uint64_t kMostPairs = std::uint64_t(1) << 28;
struct TileLists {
  std::vector<std::uint64_t> starts;  // one more than tiles
  Buffer<std::uint32_t, Cpu> members;
  std::uint64_t length(std::size_t tile) const { return starts[tile + 1] - starts[tile]; }
};

// Memory that is kept serves again for as much or a little less: as a camera moves, lists grow and
// shrink by little.
std::size_t with_room(std::size_t size) {
  const std::size_t step = std::max<std::size_t>(1, std::bit_floor(size) / 8);
  return (size + step - 1) / step * step;
}

template <class P>
TileLists list_by_tile(Cpu& exec, const TileGrid& grid, const Splat* splats, std::size_t count) {
  // Splats listed by one task: fewer tasks where there are many tiles, whose counts each task
  // keeps.
  const std::size_t tiles = grid.count();
  const std::size_t most_blocks = std::max<std::size_t>(1, (std::size_t(1) << 24) / tiles);
  const std::size_t block_size =
      std::max<std::size_t>(16384, (count + most_blocks - 1) / most_blocks);
  const std::size_t blocks = (count + block_size - 1) / block_size;
  // cursor[block][tile]: first how many, then where that block's run in the tile's list starts.
  std::vector<std::uint32_t> cursor(blocks * tiles, 0);
  Buffer<TileSpan, Cpu> spans(exec, with_room(count), "tile lists");
  auto for_each_block = [&](const auto& body) {
    ::tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t block) {
      const std::size_t first = block * block_size;
      body(cursor.data() + block * tiles, first, std::min(count, first + block_size));
    });
  };
  for_each_block([&](std::uint32_t* row, std::size_t first, std::size_t end) {
    count_by_tile<P>(grid, splats + first, end - first, spans.data() + first, row);
  });

  TileLists lists;
  lists.starts.assign(tiles + 1, 0);
  ::tbb::parallel_for(std::size_t(0), tiles, [&](std::size_t tile) {
    std::uint32_t sum = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::uint32_t n = cursor[block * tiles + tile];
      cursor[block * tiles + tile] = sum;
      sum += n;
    }
    lists.starts[tile + 1] = sum;
  });
  std::partial_sum(lists.starts.begin(), lists.starts.end(), lists.starts.begin());
  if (lists.starts.back() > kMostPairs && count > 1) return lists;
  lists.members = Buffer<std::uint32_t, Cpu>(exec, with_room(lists.starts.back()), "tile lists");
  std::uint32_t* const members = lists.members.data();
  for_each_block([&](std::uint32_t* row, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i)
      for_each_tile(grid, spans.data()[i], [&](std::size_t tile) {
        members[lists.starts[tile] + row[tile]++] = std::uint32_t(i);
      });
  });
  return lists;
}

// The tiles in drawing order, those without splats left out. Neighbors stay together, because they
// share splats, which are then still in the cache; groups with the longest lists come first, so
// that no long one is left for the end.
std::vector<std::uint32_t> drawing_order(const TileGrid& grid, const TileLists& lists) {
  struct Place {
    std::uint64_t group_length;
    std::uint32_t group, tile;
  };
  const int across = (grid.columns + kTogether - 1) / kTogether;
  std::vector<std::uint64_t> lengths(std::size_t(across) * std::size_t(grid.rows), 0);
  std::vector<Place> places;
  for (std::uint32_t tile = 0; tile < grid.count(); ++tile) {
    const auto columns = std::uint32_t(grid.columns);
    const std::uint32_t group =
        tile / columns * std::uint32_t(across) + tile % columns / std::uint32_t(kTogether);
    lengths[group] += lists.length(tile);
    if (lists.length(tile) > 0) places.push_back({0, group, tile});
  }
  for (auto& p : places) p.group_length = lengths[p.group];
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(b.group_length, a.group, a.tile) <
           std::tuple(a.group_length, b.group, b.tile);
  });
  std::vector<std::uint32_t> order;
  for (const auto& p : places) order.push_back(p.tile);
  return order;
}

}  // namespace

template <class P>
void draw_by_tile(Cpu& exec, const TileGrid& grid, const Splat* splats, std::size_t count,
                  const DrawTile& draw) {
  if (count == 0) return;
  const TileLists lists = list_by_tile<P>(exec, grid, splats, count);
  if (lists.members.empty() && lists.starts.back() > 0) {  // too many for one list
    draw_by_tile<P>(exec, grid, splats, count / 2, draw);
    draw_by_tile<P>(exec, grid, splats + count / 2, count - count / 2, draw);
    return;
  }

  const std::vector<std::uint32_t> order = drawing_order(grid, lists);
  // Runs of tiles, in order, to whichever thread is free.
  const std::size_t threads = std::size_t(::tbb::this_task_arena::max_concurrency());
  const std::size_t run =
      std::clamp<std::size_t>(order.size() / (16 * threads), 1, std::size_t(kTogether));
  std::atomic<std::size_t> next{0};
  ::tbb::parallel_for(std::size_t(0), threads, [&](std::size_t) {
    for (std::size_t k; (k = next.fetch_add(run)) < order.size();)
      for (std::size_t end = std::min(k + run, order.size()); k < end; ++k)
        draw(order[k], splats, lists.members.data() + lists.starts[order[k]],
             lists.length(order[k]));
  });
}

template void draw_by_tile<FluxProfile>(Cpu&, const TileGrid&, const Splat*, std::size_t,
                                        const DrawTile&);
template void draw_by_tile<ClassicProfile>(Cpu&, const TileGrid&, const Splat*, std::size_t,
                                           const DrawTile&);

}  // namespace haloscope::compute::splotch
