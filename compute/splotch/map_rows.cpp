#include "compute/splotch/map_rows.h"

#include "compute/splotch/map_kernel.h"
#include "core/simd_clones.h"

#include <cmath>

// The inner loops of maps, and of light in whole numbers, on the CPU. A row of a tile is one loop
// of fixed length, which the compiler turns into vectors; beyond the splat's edge the weight is
// zero.
#define HALOSCOPE_INLINE inline __attribute__((always_inline))

namespace haloscope::compute::splotch {

namespace {

constexpr int kWidth = MapTile::kWidth;

// Half the height of a disc where it meets the tile's columns, with some slack: the weights decide,
// not the rounding of a square root.
HALOSCOPE_INLINE float half_chord(float column, float fx, float radius) {
  const float left = column - fx, right = fx - (column + float(kWidth - 1));
  const float d = larger(0.f, larger(left, right));
  return std::sqrt(larger(0.f, radius * radius * 1.000001f - d * d));
}

template <int kChannels, class Kernel>
HALOSCOPE_INLINE void draw(const MapTile& tile, const Splat& s, float reach) {
  const PixelRange rows = pixel_range(s.iy - tile.y0, s.fy, reach, 0, tile.height);
  if (rows.last < rows.first) return;
  const Kernel kernel(s.radius);
  double columns[kWidth];
  const double dx = double(tile.x0 - s.ix), fx = double(s.fx);
  for (int x = 0; x < kWidth; ++x) columns[x] = kernel.column(dx + double(x) - fx);
  double amount[kChannels];
  for (int c = 0; c < kChannels; ++c)
    amount[c] = double(s.emission[c]) * kernel.scale() * tile.per_unit[c];
  for (int y = rows.first; y <= rows.last; ++y) {
    const double row = kernel.row(double(tile.y0 + y - s.iy) - double(s.fy));
    std::int64_t* const __restrict first = tile.sums[0] + y * kWidth;
    std::int64_t* const __restrict second = kChannels > 1 ? tile.sums[1] + y * kWidth : nullptr;
    for (int x = 0; x < kWidth; ++x) {
      const double weight = Kernel::weight(columns[x], row);
      first[x] += rounded(weight * amount[0]);
      if constexpr (kChannels > 1) second[x] += rounded(weight * amount[1]);
    }
  }
}

HALOSCOPE_INLINE void add_pixel(const MapTile& tile, const Splat& s) {
  const int x = s.ix - tile.x0, y = s.iy - tile.y0;
  if (x < 0 || y < 0 || x >= tile.width || y >= tile.height) return;
  for (int c = 0; c < tile.channels; ++c)
    tile.sums[c][y * kWidth + x] += rounded(double(s.emission[c]) * tile.per_unit[c]);
}

// A tile's splats lie scattered: without this, one cache miss each.
HALOSCOPE_INLINE void prefetch(const Splat* splats, const std::uint32_t* list, std::size_t k,
                               std::size_t count) {
  constexpr std::size_t kAhead = 32;
  if (k + kAhead >= count) return;
  const Splat* next = splats + list[k + kAhead];
  __builtin_prefetch(next);
  __builtin_prefetch(reinterpret_cast<const char*>(next + 1) - 1);
}

template <int kChannels>
HALOSCOPE_INLINE void add_splats(const MapTile& tile, const Splat* splats,
                                 const std::uint32_t* list, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    prefetch(splats, list, k, count);
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s);
    else if (FluxProfile::integrated(s.radius))
      draw<kChannels, MapBox>(tile, s, FluxProfile::extent(s.radius));
    else
      draw<kChannels, MapDisc>(tile, s, half_chord(float(tile.x0 - s.ix), s.fx, s.radius));
  }
}

// Of light: three multiply-adds and three additions of integers for each pixel. What hangs on rows
// is made first, many rows at once.
template <class Kernel>
HALOSCOPE_INLINE void draw(const LightTile& tile, const Splat& s, float reach) {
  const PixelRange range = pixel_range(s.iy - tile.y0, s.fy, reach, 0, tile.height);
  const int count = range.last - range.first + 1;
  if (count <= 0) return;
  const Kernel kernel(s.radius);
  const double dx = double(tile.x0 - s.ix), fx = double(s.fx);
  double columns[kWidth], rows[LightTile::kHeight];
  for (int x = 0; x < kWidth; ++x) columns[x] = kernel.column(dx + double(x) - fx);
  const double dy = double(tile.y0 + range.first - s.iy), fy = double(s.fy);
  for (int k = 0; k < count; k += 8)
    for (int i = 0; i < 8; ++i) rows[k + i] = kernel.row(dy + double(k + i) - fy);
  const LightAmounts amounts(s, kernel.scale(), tile.per_unit);
  const double red = amounts.amount[0], green = amounts.amount[1], blue = amounts.amount[2];
  std::uint64_t* pixels = tile.rows + range.first * LightTile::kRow;
  for (int k = 0; k < count; ++k, pixels += LightTile::kRow)
    for (int x = 0; x < kWidth; ++x) {
      const double weight = Kernel::weight(columns[x], rows[k]);
      pixels[x] += offset_deposit(weight, red);
      pixels[kWidth + x] += offset_deposit(weight, green);
      pixels[2 * kWidth + x] += offset_deposit(weight, blue);
    }
  for (int y = range.first; y <= range.last; ++y) ++tile.added[y];
}

HALOSCOPE_INLINE void add_pixel(const LightTile& tile, const Splat& s) {
  const int x = s.ix - tile.x0, y = s.iy - tile.y0;
  if (x < 0 || y < 0 || x >= tile.width || y >= tile.height) return;
  const LightAmounts amounts(s, 1, tile.per_unit);
  for (int c = 0; c < 3; ++c)
    tile.rows[y * LightTile::kRow + c * kWidth + x] +=
        offset_deposit(1, amounts.amount[c]) - kLightOffset;
}

}  // namespace

HALOSCOPE_SIMD_CLONES
void add_light_splats(const LightTile& tile, const Splat* splats, const std::uint32_t* list,
                      std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    prefetch(splats, list, k, count);
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s);
    else if (FluxProfile::integrated(s.radius))
      draw<MapBox>(tile, s, FluxProfile::extent(s.radius));
    else
      draw<MapDisc>(tile, s, half_chord(float(tile.x0 - s.ix), s.fx, s.radius));
  }
}

HALOSCOPE_SIMD_CLONES
void add_map_splats(const MapTile& tile, const Splat* splats, const std::uint32_t* list,
                    std::size_t count) {
  if (tile.channels > 1)
    add_splats<2>(tile, splats, list, count);
  else
    add_splats<1>(tile, splats, list, count);
}

}  // namespace haloscope::compute::splotch
