#include "compute/splotch/large_cpu.h"

#include "compute/splotch/simd_rows.h"
#include "compute/splotch/tile_lists.h"
#include "core/array.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cstring>

namespace haloscope::compute::splotch {

namespace {

void add_to_image(const PlanarTile& tile, int image_width, float* rgba) {
  for (int y = 0; y < tile.height; ++y) {
    const float* row = tile.rows + std::size_t(y) * PlanarTile::kRow;
    float* out =
        rgba + 4 * (std::size_t(tile.y0 + y) * std::size_t(image_width) + std::size_t(tile.x0));
    for (int x = 0; x < tile.width; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        out[4 * x + int(c)] += row[c * PlanarTile::kWidth + std::size_t(x)];
  }
}

}  // namespace

template <Mode M>
void splat_on_cpu(Cpu& exec, const Splat* splats, std::size_t count, int width, int height,
                  float* rgba) {
  const TileGrid grid(width, height);
  ::tbb::enumerable_thread_specific<Array<float>> scratch(
      [] { return Array<float>(PlanarTile::kFloats); });
  draw_by_tile<Profile<M>>(
      exec, grid, splats, count,
      [&](std::uint32_t index, const Splat* from, const std::uint32_t* list, std::size_t length) {
        PlanarTile tile;
        tile.rows = scratch.local().data();
        tile.x0 = grid.x0(index);
        tile.y0 = grid.y0(index);
        tile.width = std::min(TileGrid::kWidth, width - tile.x0);
        tile.height = std::min(TileGrid::kHeight, height - tile.y0);
        std::memset(tile.rows, 0, PlanarTile::kFloats * sizeof(float));
        if constexpr (M == Mode::Classic)
          add_classic_splats(tile, from, list, length);
        else
          add_flux_splats(tile, from, list, length);
        add_to_image(tile, width, rgba);
      });
}

template void splat_on_cpu<Mode::Classic>(Cpu&, const Splat*, std::size_t, int, int, float*);
template void splat_on_cpu<Mode::Default>(Cpu&, const Splat*, std::size_t, int, int, float*);

}  // namespace haloscope::compute::splotch
