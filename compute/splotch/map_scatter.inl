#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/layer.h"
#include "compute/splotch/map_kernel.h"
#include "compute/splotch/tally_splats.inl"
#include "core/timings.h"

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

#include <algorithm>

// A map's deposits, each added to its pixel on its own: what the GPU does, and, on the CPU, the
// slow and plain way that the tests compare the fast one with (map_tiles_cpu.h).
namespace haloscope::compute::splotch {

struct MapBounds {
  float emission[MapTarget::kMostChannels] = {0, 0};
};
struct LargerBounds {
  HALOSCOPE_HD MapBounds operator()(const MapBounds& a, const MapBounds& b) const {
    return {{larger(a.emission[0], b.emission[0]), larger(a.emission[1], b.emission[1])}};
  }
};

// A particle's |emission|, or somewhat more; 0 of those that are not drawn.
struct BoundEmission {
  Projector<float> projector;
  Columns columns;
  Shading shading;
  HALOSCOPE_HD MapBounds operator()(std::uint64_t i) const {
    const Particle p = load_particle(columns, i);
    float mass = fabsf(p.weight * shading.weight_factor);
    float moment = shading.has_color ? mass * fabsf(p.color[0]) : 0.f;
    if (projector.perspective) {
      Splat s{};
      if (make_splat<Mode::Map>(projector, p, shading, 0, s) == Class::Inactive) return {};
      mass = fabsf(s.emission[0]);
      moment = fabsf(s.emission[1]);
    }
    // For the rounding, and for sampled sums below 1.
    constexpr float kMore = 1.0625f, kMost = 3.4e38f;
    if (!(mass <= kMost && moment <= kMost)) return {};
    return {{smaller(kMore * mass, kMost), smaller(kMore * moment, kMost)}};
  }
};

template <class Exec>
MapBounds bound_emissions(Exec& exec, const Layer& layer, const Projector<float>& projector) {
  const thrust::counting_iterator<std::uint64_t> first(0);
  return thrust::transform_reduce(exec.policy(), first, first + std::ptrdiff_t(layer.columns.count),
                                  BoundEmission{projector, layer.columns, layer.shading},
                                  MapBounds{}, LargerBounds{});
}

// A splat's emissions in quanta.
struct MapAmounts {
  double amount[MapTarget::kMostChannels];
  int shift[MapTarget::kMostChannels];

  HALOSCOPE_HD MapAmounts(const Splat& s, double scale, const MapTarget& target) {
    for (int c = 0; c < target.channels; ++c) {
      const int level = target.quanta[c].level(s.emission[c], s.radius);
      amount[c] = double(s.emission[c]) * scale * target.quanta[c].per_unit[level];
      shift[c] = MapQuanta::shift(level);
    }
  }
  HALOSCOPE_HD void deposit(const MapTarget& target, int x, int y, double weight) const {
    const std::size_t at = std::size_t(y) * std::size_t(target.width) + std::size_t(x);
    for (int c = 0; c < target.channels; ++c) {
      const std::int64_t quanta = rounded(weight * amount[c]);
      if (quanta != 0) add_shared(target.sums[c] + at, shifted(quanta, shift[c]));
    }
  }
};

struct MapArea {
  PixelRange columns, rows;
  HALOSCOPE_HD MapArea(const Splat& s, const MapTarget& target)
      : columns(pixel_range(s.ix, s.fx, FluxProfile::extent(s.radius), 0, target.width)),
        rows(pixel_range(s.iy, s.fy, FluxProfile::extent(s.radius), 0, target.height)) {}
};

// Every `step`-th pixel of a row, from `first` on.
template <class Kernel>
HALOSCOPE_HD void deposit_row(const Splat& s, const Kernel& kernel, const MapAmounts& amounts,
                              const MapTarget& target, int y, int first, int last, int step) {
  const double row = kernel.row(double(y - s.iy) - double(s.fy));
  for (int x = first; x <= last; x += step)
    amounts.deposit(target, x, y,
                    Kernel::weight(kernel.column(double(x - s.ix) - double(s.fx)), row));
}

HALOSCOPE_HD inline bool is_wide(const Splat& s) {
  return s.radius > kSmallRadius && !FluxProfile::integrated(s.radius);
}

// What is narrow is drawn as it is made.
struct ScatterNarrow {
  Projector<float> projector;
  Columns columns;
  Shading shading;
  MapTarget target;
  float large_radius;
  Splat* splats;
  std::uint8_t* classes;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    Splat s{};
    const Class c =
        make_splat<Mode::Map>(projector, load_particle(columns, i), shading, large_radius, s);
    classes[i] = std::uint8_t(c);
    splats[i] = s;
    if (c == Class::Inactive || is_wide(s)) return;
    if (c == Class::Small) return MapAmounts(s, 1, target).deposit(target, s.ix, s.iy, 1);
    const MapBox box(s.radius);
    const MapAmounts amounts(s, MapBox::scale(), target);
    const MapArea area(s, target);
    for (int y = area.rows.first; y <= area.rows.last; ++y)
      deposit_row(s, box, amounts, target, y, area.columns.first, area.columns.last, 1);
  }
};

struct IsWide {
  const Splat* splats;
  const std::uint8_t* classes;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return classes[i] != std::uint8_t(Class::Inactive) && is_wide(splats[i]);
  }
};

struct CountRows {
  const Splat* splats;
  const std::uint32_t* wide;
  MapTarget target;
  std::uint64_t* rows;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const PixelRange range = MapArea(splats[wide[k]], target).rows;
    rows[k] = range.last < range.first ? 0 : std::uint64_t(range.last - range.first + 1);
  }
};

// One row of a wide splat by kLanes neighboring threads.
struct ScatterRows {
  static constexpr int kLanes = 8;
  const Splat* splats;
  const std::uint32_t* wide;
  const std::uint64_t* ends;  // of each splat's rows, among all rows
  std::uint64_t count;
  MapTarget target;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t row = i / kLanes;
    std::uint64_t low = 0, high = count - 1;  // the first splat that ends beyond `row`
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (ends[middle] > row)
        high = middle;
      else
        low = middle + 1;
    }
    const Splat& s = splats[wide[low]];
    const MapDisc disc(s.radius);
    const MapArea area(s, target);
    const int y = area.rows.first + int(row - (low > 0 ? ends[low - 1] : 0));
    deposit_row(s, disc, MapAmounts(s, disc.scale(), target), target, y,
                area.columns.first + int(i % kLanes), area.columns.last, kLanes);
  }
};

// Adds a few particles to the map; `splats` and `classes` have room for them.
template <class Exec>
SplatTally scatter_batch(Exec& exec, const Layer& batch, const Projector<float>& projector,
                         float large_radius, const MapTarget& target, Buffer<Splat, Exec>& splats,
                         Buffer<std::uint8_t, Exec>& classes) {
  const std::size_t n = batch.columns.count;
  parallel_for(exec, "narrow particles of a map", n,
               ScatterNarrow{projector, batch.columns, batch.shading, target, large_radius,
                             splats.data(), classes.data()});
  const SplatTally tally = tally_splats(exec, splats.data(), StoredClass{classes.data()}, n,
                                        float(projector.width) * float(projector.height));

  Buffer<std::uint32_t, Exec> wide(exec, n, "wide particles of a map");
  const thrust::counting_iterator<std::uint32_t> number(0);
  const auto end = thrust::copy_if(exec.policy(), number, number + std::ptrdiff_t(n), wide.begin(),
                                   IsWide{splats.data(), classes.data()});
  const auto count = std::size_t(end - wide.begin());
  if (count == 0) return tally;
  Buffer<std::uint64_t, Exec> ends(exec, count, "rows of wide particles");
  parallel_for(exec, "rows of wide particles", count,
               CountRows{splats.data(), wide.data(), target, ends.data()});
  thrust::inclusive_scan(exec.policy(), ends.begin(), ends.end(), ends.begin());
  std::uint64_t rows = 0;
  exec.download(&rows, ends.data() + count - 1, sizeof(rows));
  parallel_for(exec, "wide particles of a map", rows * std::uint64_t(ScatterRows::kLanes),
               ScatterRows{splats.data(), wide.data(), ends.data(), count, target});
  exec.synchronize();
  return tally;
}

template <class Exec>
SplatTally scatter_layer(Exec& exec, const Layer& layer, const Projector<float>& projector,
                         float large_radius, const MapTarget& target, Timings& timings) {
  constexpr std::uint64_t kBatch = 1u << 21;
  SplatTally tally;
  const std::uint64_t total = layer.columns.count;
  if (total == 0) return tally;
  const TimedRange timer(timings, "medium");
  const std::size_t room = std::size_t(std::min(kBatch, total));
  Buffer<Splat, Exec> splats(exec, room, "projected particles");
  Buffer<std::uint8_t, Exec> classes(exec, room, "particle classes");
  for (std::uint64_t first = 0; first < total; first += kBatch)
    tally = AddTallies{}(
        tally, scatter_batch(exec, slice(layer, first, std::min(kBatch, total - first)), projector,
                             large_radius, target, splats, classes));
  exec.synchronize();
  return tally;
}

}  // namespace haloscope::compute::splotch
