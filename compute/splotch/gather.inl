#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/layer.h"
#include "compute/splotch/light_sum.h"
#include "compute/splotch/medium_tiles.h"
#include "compute/splotch/tally_splats.inl"
#include "core/timings.h"

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <memory>
#include <vector>

// Each pixel sums its own splats, in one fixed order: slow, plain, and the same bytes each time.
// It draws the absorbing model (A ≠ E), which needs back-to-front order, deterministic frames of
// classic mode and of the paper's scheme, and those of default mode on the GPU, which it sums in
// whole numbers (light_sum.h); in the tests it is the reference of the fast versions.
namespace haloscope::compute::splotch {

struct GatherTiling {
  static constexpr int kTile = 16;
  int width, height, columns, rows;
  GatherTiling(int w, int h)
      : width(w), height(h), columns((w + kTile - 1) / kTile), rows((h + kTile - 1) / kTile) {}
  HALOSCOPE_HD std::size_t count() const { return std::size_t(columns) * std::size_t(rows); }
  // Of all tiles, whole.
  std::size_t pixels() const { return count() * kTile * kTile; }
};

template <class P>
struct TileSpan {
  int column0, column1, row0, row1;  // inclusive; empty where column1 < column0
  HALOSCOPE_HD TileSpan(const Splat& s, const GatherTiling& t) {
    const float reach = s.radius <= kSmallRadius ? 0.5f : P::extent(s.radius);
    PixelRange x = pixel_range(s.ix, s.fx, reach, 0, t.width);
    PixelRange y = pixel_range(s.iy, s.fy, reach, 0, t.height);
    if (s.radius <= kSmallRadius) {
      x = {s.ix, s.ix};
      y = {s.iy, s.iy};
    }
    column0 = x.first / GatherTiling::kTile;
    column1 = x.last < x.first ? -1 : x.last / GatherTiling::kTile;
    row0 = y.first / GatherTiling::kTile;
    row1 = y.last < y.first ? row0 - 1 : y.last / GatherTiling::kTile;
  }
  HALOSCOPE_HD std::uint32_t count() const {
    return column1 < column0 || row1 < row0
               ? 0
               : std::uint32_t(column1 - column0 + 1) * std::uint32_t(row1 - row0 + 1);
  }
};

template <Mode M>
struct MakeSplats {
  Projector<Real<M>> projector;
  Columns columns;
  Shading shading;
  float large_radius;
  Splat* splats;
  std::uint8_t* classes;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    Splat s{};
    classes[i] = std::uint8_t(make_splat_of<M>(projector, columns, i, shading, large_radius, s));
    splats[i] = s;
  }
};

struct IsActive {
  HALOSCOPE_HD bool operator()(std::uint8_t c) const { return c != std::uint8_t(Class::Inactive); }
};

// Sort key of the absorbing model's order; the list is sorted ascending.
struct AbsorptionKey {
  const Splat* splats;
  AbsorptionOrder order;
  float* keys;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const Splat& s = splats[i];
    switch (order) {
      case AbsorptionOrder::None:
        keys[i] = 0;
        break;
      case AbsorptionOrder::Depth:
        keys[i] = -s.depth;
        break;
      case AbsorptionOrder::RedDescending:
        keys[i] = -s.emission[0];
        break;
      case AbsorptionOrder::RedAscending:
        keys[i] = s.emission[0];
        break;
      case AbsorptionOrder::RadiusDescending:
        keys[i] = -s.radius;
        break;
    }
  }
};

template <class P>
struct CountTiles {
  const Splat* splats;
  const std::uint32_t* order;
  GatherTiling tiling;
  std::uint64_t* counts;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    counts[k] = TileSpan<P>(splats[order[k]], tiling).count();
  }
};

template <class P>
struct FillTiles {
  const Splat* splats;
  const std::uint32_t* order;
  GatherTiling tiling;
  const std::uint64_t* starts;
  std::uint32_t* tiles;
  std::uint32_t* members;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const TileSpan<P> span(splats[order[k]], tiling);
    if (span.count() == 0) return;
    std::uint64_t at = starts[k];
    for (int row = span.row0; row <= span.row1; ++row)
      for (int column = span.column0; column <= span.column1; ++column) {
        tiles[at] = std::uint32_t(row) * std::uint32_t(tiling.columns) + std::uint32_t(column);
        members[at++] = order[k];
      }
  }
};

template <class P>
HALOSCOPE_HD inline float pixel_weight(const Splat& s, int x, int y) {
  const float dx = float(x - s.ix) - s.fx;
  const float dy = float(y - s.iy) - s.fy;
  if (s.radius <= kSmallRadius)
    return x == s.ix && y == s.iy ? P::small_weight(dx, dy, s.radius) : 0.f;
  return P::weight(dx, dy, s.radius);
}

template <class P>
struct SumPixel {
  const Splat* splats;
  const std::uint32_t* members;
  const std::uint64_t* tile_starts;  // one more than tiles
  GatherTiling tiling;
  bool absorption;
  float gray;
  float* image;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    constexpr int kTile = GatherTiling::kTile;
    const std::size_t tile = i / (kTile * kTile);
    const int in_tile = int(i % (kTile * kTile));
    const int x = int(tile % std::size_t(tiling.columns)) * kTile + in_tile % kTile;
    const int y = int(tile / std::size_t(tiling.columns)) * kTile + in_tile / kTile;
    if (x >= tiling.width || y >= tiling.height) return;
    float* pixel = image + 4 * (std::size_t(y) * std::size_t(tiling.width) + std::size_t(x));
    double light[3] = {pixel[0], pixel[1], pixel[2]};
    for (std::uint64_t k = tile_starts[tile]; k < tile_starts[tile + 1]; ++k) {
      const Splat& s = splats[members[k]];
      const float w = pixel_weight<P>(s, x, y);
      if (w == 0) continue;
      for (int c = 0; c < 3; ++c) {
        const double e = s.emission[c];
        if (absorption) {
          // L ← L + (L − q)(exp(−att E) − 1), q = E/(E + gray)  (splotch-semantics §6)
          const double q = e / (e + double(gray));
          if (e > 0) light[c] += (light[c] - q) * std::expm1(-double(w) * e);
        } else {
          light[c] += double(w) * e;
        }
      }
    }
    for (int c = 0; c < 3; ++c) pixel[c] = float(light[c]);
  }
};

// The same in units of light, which are exact sums.
struct SumLight {
  const Splat* splats;
  const std::uint32_t* members;
  const std::uint64_t* tile_starts;
  GatherTiling tiling;
  LightTarget target;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    constexpr int kTile = GatherTiling::kTile;
    const std::size_t tile = i / (kTile * kTile);
    const int in_tile = int(i % (kTile * kTile));
    const int x = int(tile % std::size_t(tiling.columns)) * kTile + in_tile % kTile;
    const int y = int(tile / std::size_t(tiling.columns)) * kTile + in_tile / kTile;
    if (x >= tiling.width || y >= tiling.height) return;
    std::int64_t light[3] = {0, 0, 0};
    for (std::uint64_t k = tile_starts[tile]; k < tile_starts[tile + 1]; ++k)
      add_deposit(splats[members[k]], x, y, target.unit.per_unit, light);
    std::int64_t* const rgb =
        target.rgb + 3 * (std::size_t(y) * std::size_t(tiling.width) + std::size_t(x));
    for (int c = 0; c < 3; ++c) rgb[c] += light[c];
  }
};

// Lists the splats of `layers` by tile, in list order or, with absorption, in its order, and calls
// sum(splats, members, tile_starts, tiling), which draws them.
template <Mode M, class Exec, class Sum>
void gather_by_tile(Exec& exec, const std::vector<Layer>& layers,
                    const Projector<Real<M>>& projector, const Options& options, Counts& counts,
                    Timings& timings, const Sum& sum) {
  using P = Profile<M>;
  std::size_t total = 0;
  for (const auto& layer : layers) total += layer.columns.count;
  if (total == 0) return;
  const GatherTiling tiling(projector.width, projector.height);

  Buffer<Splat, Exec> splats(exec, total, "projected particles");
  const float pixels = float(projector.width) * float(projector.height);
  std::size_t active = 0;
  {
    TimedRange timer(timings, "project");
    for (const auto& layer : layers) {
      const std::size_t n = layer.columns.count;
      if (n == 0) continue;
      Buffer<Splat, Exec> made(exec, n, "projected particles");
      Buffer<std::uint8_t, Exec> classes(exec, n, "particle classes");
      parallel_for(exec, "make splats", n,
                   MakeSplats<M>{projector, layer.columns, layer.shading, large_radius_of(options),
                                 made.data(), classes.data()});
      add_to_counts(counts,
                    tally_splats(exec, made.data(), StoredClass{classes.data()}, n, pixels));
      Splat* end = thrust::copy_if(exec.policy(), made.begin(), made.end(), classes.begin(),
                                   splats.begin() + active, IsActive{});
      active = std::size_t(end - splats.begin());
    }
    exec.synchronize();
  }
  if (active == 0) return;

  auto sorting = std::make_unique<TimedRange>(timings, "sort");
  Buffer<std::uint32_t, Exec> order(exec, active, "drawing order");
  thrust::sequence(exec.policy(), order.begin(), order.end());
  if (options.absorption) {
    Buffer<float, Exec> keys(exec, active, "drawing order");
    parallel_for(exec, "absorption order", active,
                 AbsorptionKey{splats.data(), options.absorption_order, keys.data()});
    thrust::stable_sort_by_key(exec.policy(), keys.begin(), keys.end(), order.begin());
  }
  Buffer<std::uint64_t, Exec> starts(exec, active + 1, "tile list starts");
  exec.zero(starts.data() + active, sizeof(std::uint64_t));
  parallel_for(exec, "count tiles", active,
               CountTiles<P>{splats.data(), order.data(), tiling, starts.data()});
  thrust::exclusive_scan(exec.policy(), starts.begin(), starts.end(), starts.begin());
  std::uint64_t pairs = 0;
  exec.download(&pairs, starts.data() + active, sizeof(pairs));
  Buffer<std::uint32_t, Exec> tiles(exec, pairs, "tile lists");
  Buffer<std::uint32_t, Exec> members(exec, pairs, "tile lists");
  parallel_for(exec, "fill tiles", active,
               FillTiles<P>{splats.data(), order.data(), tiling, starts.data(), tiles.data(),
                            members.data()});
  thrust::stable_sort_by_key(exec.policy(), tiles.begin(), tiles.end(), members.begin());
  Buffer<std::uint64_t, Exec> tile_starts(exec, tiling.count() + 1, "tile starts");
  const thrust::counting_iterator<std::uint32_t> tile_ids(0);
  thrust::lower_bound(exec.policy(), tiles.begin(), tiles.end(), tile_ids,
                      tile_ids + std::ptrdiff_t(tiling.count()) + 1, tile_starts.begin());
  exec.synchronize();
  sorting.reset();
  {
    TimedRange gather_timer(timings, "medium");
    sum(splats.data(), members.data(), tile_starts.data(), tiling);
    exec.synchronize();
  }
}

// Adds the splats of `layers` to the RGBA image.
template <Mode M, class Exec>
void render_gather(Exec& exec, const std::vector<Layer>& layers,
                   const Projector<Real<M>>& projector, const Options& options, float* image,
                   Counts& counts, Timings& timings) {
  gather_by_tile<M>(exec, layers, projector, options, counts, timings,
                    [&](const Splat* splats, const std::uint32_t* members,
                        const std::uint64_t* tile_starts, const GatherTiling& tiling) {
                      parallel_for(
                          exec, "sum pixels", tiling.pixels(),
                          SumPixel<Profile<M>>{splats, members, tile_starts, tiling,
                                               options.absorption, options.gray_absorption, image});
                    });
}

// Adds them to sums in whole numbers.
template <class Exec>
void gather_light(Exec& exec, const std::vector<Layer>& layers, const Projector<float>& projector,
                  const Options& options, const LightTarget& target, Counts& counts,
                  Timings& timings) {
  gather_by_tile<Mode::Default>(exec, layers, projector, options, counts, timings,
                                [&](const Splat* splats, const std::uint32_t* members,
                                    const std::uint64_t* tile_starts, const GatherTiling& tiling) {
                                  parallel_for(
                                      exec, "sum light", tiling.pixels(),
                                      SumLight{splats, members, tile_starts, tiling, target});
                                });
}

}  // namespace haloscope::compute::splotch
