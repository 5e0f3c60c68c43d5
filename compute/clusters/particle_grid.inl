#pragma once

#include "compute/exec/buffer.h"
#include "core/host_device.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

// All particles by cells of about one mean spacing, for sums over spheres of any size.
namespace haloscope::compute::clusters {

// One 16-byte load.
struct alignas(16) MassPoint {
  std::uint32_t x, y, z;
  float mass;
};

// Square of a distance in lattice steps, across the edge where that is nearer.
HALOSCOPE_HD inline std::uint64_t squared_steps(std::uint32_t dx, std::uint32_t dy,
                                                std::uint32_t dz) {
  const auto x = std::int64_t(std::int32_t(dx)), y = std::int64_t(std::int32_t(dy)),
             z = std::int64_t(std::int32_t(dz));
  return std::uint64_t(x * x) + std::uint64_t(y * y) + std::uint64_t(z * z);
}

// Cells of one row (all of one y and z) are consecutive, and so are their particles, in the order
// of the file.
struct ParticleGridView {
  std::uint32_t side;          // cells per side of the domain
  const std::uint64_t* start;  // of each cell in `points`, and the end
  const MassPoint* points;

  HALOSCOPE_HD std::uint32_t cell(std::uint32_t v) const {
    return std::uint32_t((std::uint64_t(v) * side) >> 32);
  }
  HALOSCOPE_HD std::size_t cell(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return (std::size_t(cell(z)) * side + cell(y)) * side + cell(x);
  }

  // Cells along one axis that a sphere meets: `count` from `first` on, around the edge.
  struct Span {
    std::uint32_t first, count;
  };
  HALOSCOPE_HD Span span(std::uint32_t center, std::uint32_t reach) const {
    const std::int64_t low = ((std::int64_t(center) - reach) * std::int64_t(side)) >> 32;
    const std::int64_t high = ((std::int64_t(center) + reach) * std::int64_t(side)) >> 32;
    if (high - low + 1 >= std::int64_t(side)) return {0, side};
    return {std::uint32_t(low < 0 ? low + side : low), std::uint32_t(high - low + 1)};
  }

  // Calls f(point) for the particles of the `row`-th row that a cube about a center meets.
  template <class F>
  HALOSCOPE_HD void for_row(Span sx, Span sy, Span sz, std::uint32_t row, const F& f) const {
    const std::uint32_t y = (sy.first + row % sy.count) % side;
    const std::uint32_t z = (sz.first + row / sy.count) % side;
    const std::size_t base = (std::size_t(z) * side + y) * side;
    const std::uint32_t end = sx.first + sx.count;
    walk(base + sx.first, base + (end < side ? end : side), f);
    if (end > side) walk(base, base + end - side, f);
  }

 private:
  template <class F>
  HALOSCOPE_HD void walk(std::size_t begin_cell, std::size_t end_cell, const F& f) const {
    const std::uint64_t end = start[end_cell];
    for (std::uint64_t i = start[begin_cell]; i < end; ++i) f(points[i]);
  }
};

template <class Exec>
struct ParticleGrid {
  std::uint32_t side = 1;
  Buffer<std::uint64_t, Exec> start;
  Buffer<MassPoint, Exec> points;

  template <class Types>
  ParticleGrid(Exec& exec, const Types& types) {
    std::size_t count = 0;
    for (const auto& t : types) count += t.count;
    constexpr double kMostCells = 1024;  // per side: 8 GiB of cells
    side = std::uint32_t(std::clamp(std::cbrt(double(count)), 1.0, kMostCells));
    const std::size_t cells = std::size_t(side) * side * side;
    start = Buffer<std::uint64_t, Exec>(exec, cells + 1, "cells of particles");
    points = Buffer<MassPoint, Exec>(exec, count, "cells of particles");
    fill_grid(exec, side, start.data(), points.data(), count, types);
  }

  ParticleGridView view() const { return {side, start.data(), points.data()}; }
};

}  // namespace haloscope::compute::clusters
