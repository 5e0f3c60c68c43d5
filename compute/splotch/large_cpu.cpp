#include "compute/splotch/large_cpu.h"

#include "compute/splotch/simd_rows.h"
#include "core/array.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

namespace haloscope::compute::splotch {

namespace {

constexpr int kSide = PlanarTile::kSide;

struct TileGrid {
  int width, height, columns, rows;
  TileGrid(int w, int h)
      : width(w), height(h), columns((w + kSide - 1) / kSide), rows((h + kSide - 1) / kSide) {}
  std::size_t count() const { return std::size_t(columns) * std::size_t(rows); }
};

// The tiles that a splat touches: columns x0 … x1 and rows y0 … y1, none where x1 < x0.
struct TileSpan {
  std::uint16_t x0, x1, y0, y1;
};

template <Mode M>
TileSpan span_of(const TileGrid& grid, const Splat& s) {
  int x0 = s.ix, x1 = s.ix, y0 = s.iy, y1 = s.iy;
  if (s.radius > kSmallRadius) {
    const float extent = Profile<M>::extent(s.radius);
    const PixelRange x = pixel_range(s.ix, s.fx, extent, 0, grid.width);
    const PixelRange y = pixel_range(s.iy, s.fy, extent, 0, grid.height);
    x0 = x.first, x1 = x.last, y0 = y.first, y1 = y.last;
  }
  if (x1 < x0 || y1 < y0) return {1, 0, 1, 0};
  return {std::uint16_t(x0 / kSide), std::uint16_t(x1 / kSide), std::uint16_t(y0 / kSide),
          std::uint16_t(y1 / kSide)};
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
  Array<std::uint32_t> members;
};

template <Mode M>
TileLists list_by_tile(const TileGrid& grid, const Splat* splats, std::size_t count) {
  // Splats listed by one task: fewer tasks where there are many tiles, whose counts each task
  // keeps.
  const std::size_t tiles = grid.count();
  const std::size_t most_blocks = std::max<std::size_t>(1, (std::size_t(1) << 24) / tiles);
  const std::size_t block_size =
      std::max<std::size_t>(16384, (count + most_blocks - 1) / most_blocks);
  const std::size_t blocks = (count + block_size - 1) / block_size;
  // cursor[block][tile]: first how many, then where that block's run in the tile's list starts.
  std::vector<std::uint32_t> cursor(blocks * tiles, 0);
  auto for_each_block = [&](const auto& body) {
    ::tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t block) {
      std::uint32_t* row = cursor.data() + block * tiles;
      const std::size_t end = std::min(count, (block + 1) * block_size);
      for (std::size_t i = block * block_size; i < end; ++i) body(row, i);
    });
  };
  Array<TileSpan> spans(count);
  for_each_block([&](std::uint32_t* row, std::size_t i) {
    spans[i] = span_of<M>(grid, splats[i]);
    for_each_tile(grid, spans[i], [&](std::size_t tile) { ++row[tile]; });
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
  lists.members = Array<std::uint32_t>(lists.starts.back());
  for_each_block([&](std::uint32_t* row, std::size_t i) {
    for_each_tile(grid, spans[i], [&](std::size_t tile) {
      lists.members[lists.starts[tile] + row[tile]++] = std::uint32_t(i);
    });
  });
  return lists;
}

void add_to_image(const PlanarTile& tile, int image_width, float* rgba) {
  for (int y = 0; y < tile.height; ++y) {
    const float* row = tile.rows + std::size_t(y) * PlanarTile::kRow;
    float* out =
        rgba + 4 * (std::size_t(tile.y0 + y) * std::size_t(image_width) + std::size_t(tile.x0));
    for (int x = 0; x < tile.width; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        out[4 * x + int(c)] += row[c * PlanarTile::kSide + std::size_t(x)];
  }
}

}  // namespace

template <Mode M>
void splat_on_cpu(const Splat* splats, std::size_t count, int width, int height, float* rgba) {
  if (count == 0) return;
  const TileGrid grid(width, height);
  const TileLists lists = list_by_tile<M>(grid, splats, count);
  if (lists.members.empty() && lists.starts.back() > 0) {  // too many for one list
    splat_on_cpu<M>(splats, count / 2, width, height, rgba);
    splat_on_cpu<M>(splats + count / 2, count - count / 2, width, height, rgba);
    return;
  }

  // Longest lists first, so that no long one is left for the end.
  std::vector<std::uint32_t> order;
  for (std::size_t tile = 0; tile < grid.count(); ++tile)
    if (lists.starts[tile + 1] > lists.starts[tile]) order.push_back(std::uint32_t(tile));
  auto length = [&](std::uint32_t tile) { return lists.starts[tile + 1] - lists.starts[tile]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });

  ::tbb::enumerable_thread_specific<Array<float>> scratch(
      [] { return Array<float>(PlanarTile::kFloats); });
  std::atomic<std::size_t> next{0};
  auto draw = [&](std::uint32_t index) {
    PlanarTile tile;
    tile.rows = scratch.local().data();
    tile.x0 = int(index % std::uint32_t(grid.columns)) * kSide;
    tile.y0 = int(index / std::uint32_t(grid.columns)) * kSide;
    tile.width = std::min(kSide, width - tile.x0);
    tile.height = std::min(kSide, height - tile.y0);
    std::memset(tile.rows, 0, PlanarTile::kFloats * sizeof(float));
    const std::uint32_t* list = lists.members.data() + lists.starts[index];
    if constexpr (M == Mode::Classic)
      add_classic_splats(tile, splats, list, length(index));
    else
      add_flux_splats(tile, splats, list, length(index));
    add_to_image(tile, width, rgba);
  };
  ::tbb::parallel_for(
      ::tbb::blocked_range<std::size_t>(0, order.size(), 1),
      [&](const ::tbb::blocked_range<std::size_t>& range) {
        for (std::size_t k = range.begin(); k < range.end(); ++k) draw(order[next.fetch_add(1)]);
      },
      ::tbb::simple_partitioner());
}

template void splat_on_cpu<Mode::Classic>(const Splat*, std::size_t, int, int, float*);
template void splat_on_cpu<Mode::Default>(const Splat*, std::size_t, int, int, float*);
template void splat_on_cpu<Mode::Map>(const Splat*, std::size_t, int, int, float*);

}  // namespace haloscope::compute::splotch
