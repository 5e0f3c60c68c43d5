#include "compute/exec/cpu.h"
#include "compute/splotch/medium_tiles.h"

#include <tbb/parallel_for.h>

#include <array>
#include <atomic>

namespace haloscope::compute::splotch {

namespace {

constexpr int kPadded = PaperTiling::kPadded;
using PaddedTile = std::array<float, 3 * kPadded * kPadded>;

// Draws one tile's splats on the tile and its boundary; both in the tile's coordinates.
template <class P>
void draw(const Splat* splats, std::int32_t begin, std::int32_t end, int x0, int y0,
          PaddedTile& tile) {
  for (std::int32_t k = begin; k < end; ++k) {
    const Splat& s = splats[k];
    const float extent = P::extent(s.radius);
    const PixelRange columns = pixel_range(s.ix - x0, s.fx, extent, 0, kPadded);
    const PixelRange rows = pixel_range(s.iy - y0, s.fy, extent, 0, kPadded);
    for (int y = rows.first; y <= rows.last; ++y)
      for (int x = columns.first; x <= columns.last; ++x) {
        const float w =
            P::weight(float(x - (s.ix - x0)) - s.fx, float(y - (s.iy - y0)) - s.fy, s.radius);
        float* pixel = tile.data() + 3 * (y * kPadded + x);
        for (int c = 0; c < 3; ++c) pixel[c] += w * s.emission[c];
      }
  }
}

}  // namespace

template <Mode M>
void medium_tiles(Cpu&, const Splat* splats, const std::int32_t* tile_ids,
                  const std::int32_t* tile_ends, std::size_t tiles, const PaperTiling& tiling,
                  float* image) {
  ::tbb::parallel_for(std::size_t(0), tiles, [&](std::size_t t) {
    const int x0 = tiling.first_column(tile_ids[t]);
    const int y0 = tiling.first_row(tile_ids[t]);
    PaddedTile tile{};
    draw<Profile<M>>(splats, t > 0 ? tile_ends[t - 1] : 0, tile_ends[t], x0, y0, tile);
    // Boundaries of neighboring tiles overlap.
    for (int y = 0; y < kPadded; ++y)
      for (int x = 0; x < kPadded; ++x) {
        const int column = x0 + x, row = y0 + y;
        if (column < 0 || row < 0 || column >= tiling.width || row >= tiling.height) continue;
        for (int c = 0; c < 3; ++c) {
          const float value = tile[std::size_t(3 * (y * kPadded + x) + c)];
          if (value == 0) continue;
          std::atomic_ref<float> target(
              image[4 * (std::size_t(row) * std::size_t(tiling.width) + std::size_t(column)) +
                    std::size_t(c)]);
          target.fetch_add(value, std::memory_order_relaxed);
        }
      }
  });
}

template void medium_tiles<Mode::Classic>(Cpu&, const Splat*, const std::int32_t*,
                                          const std::int32_t*, std::size_t, const PaperTiling&,
                                          float*);
template void medium_tiles<Mode::Default>(Cpu&, const Splat*, const std::int32_t*,
                                          const std::int32_t*, std::size_t, const PaperTiling&,
                                          float*);

}  // namespace haloscope::compute::splotch
