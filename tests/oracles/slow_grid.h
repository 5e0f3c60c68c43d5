#pragma once

#include "compute/grids/density_grid.h"
#include "core/domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// Grids by their definitions, one particle after the other, in long double.
namespace haloscope::test {

using Long = long double;

struct SlowParticle {
  std::array<double, 3> at{};  // world
  double mass = 1, field = 0, radius = 0;
};

// How far a place d cells from a cell's center belongs to that cell.
inline Long slow_share(compute::grids::Assign assign, Long d) {
  using compute::grids::Assign;
  const Long away = std::fabs(d);
  if (assign == Assign::Nearest) return d >= -0.5L && d < 0.5L ? 1 : 0;
  if (assign == Assign::CloudInCell) return away < 1 ? 1 - away : 0;
  if (away < 0.5L) return 0.75L - d * d;
  return away < 1.5L ? (1.5L - away) * (1.5L - away) / 2 : 0;
}

// The part of 315/256 (1 - t^2)^4 that lies below x.
inline Long slow_below(Long x) {
  x = std::clamp<Long>(x, -1, 1);
  const auto integral = [](Long t) {
    return t - 4 * t * t * t / 3 + 6 * std::pow(t, 5.L) / 5 - 4 * std::pow(t, 7.L) / 7 +
           std::pow(t, 9.L) / 9;
  };
  return 315.L / 256 * (integral(x) - integral(-1));
}

// Sums of all cells of a grid that begins at `low` with cells of so much side.
struct SlowGrid {
  std::array<double, 3> low{}, side{};
  std::array<std::int64_t, 3> cells{};
  std::array<compute::grids::Edge, 3> edge{};
  double period = 0;  // world length; 0: none
  std::vector<Long> sums;
  std::vector<std::uint64_t> shares;  // how many each cell has

  SlowGrid(const std::array<double, 3>& begin, const std::array<double, 3>& of_cell,
           const std::array<std::int64_t, 3>& size, compute::grids::Edge edges, double box)
      : low(begin), side(of_cell), cells(size), edge{edges, edges, edges}, period(box) {
    sums.assign(std::size_t(size[0] * size[1] * size[2]), 0);
    shares.assign(sums.size(), 0);
  }

  // The cell that takes what falls into cell i; -1: none.
  std::int64_t taken(int axis, std::int64_t i) const {
    using compute::grids::Edge;
    const std::int64_t n = cells[std::size_t(axis)];
    switch (edge[std::size_t(axis)]) {
      case Edge::Wrap:
        return ((i % n) + n) % n;
      case Edge::Keep:
        return std::clamp<std::int64_t>(i, 0, n - 1);
      default:
        return i >= 0 && i < n ? i : -1;
    }
  }

  void give(const std::array<std::int64_t, 3>& cell, Long amount) {
    std::int64_t to[3];
    for (int axis = 0; axis < 3; ++axis) {
      to[axis] = taken(axis, cell[std::size_t(axis)]);
      if (to[axis] < 0) return;
    }
    const auto at = std::size_t((to[0] * cells[1] + to[1]) * cells[2] + to[2]);
    sums[at] += amount;
    if (amount != 0) ++shares[at];
  }

  // Places of a particle and of its copies a period before and behind, in cells.
  template <class F>
  void for_copies(const SlowParticle& particle, const F& f) const {
    const bool copies = period > 0 && edge[0] == compute::grids::Edge::Cut;
    const int most = copies ? 1 : 0;
    for (int i = -most; i <= most; ++i)
      for (int j = -most; j <= most; ++j)
        for (int k = -most; k <= most; ++k) {
          const int step[3] = {i, j, k};
          std::array<Long, 3> u;
          for (std::size_t a = 0; a < 3; ++a)
            u[a] = (Long(particle.at[a]) - low[a] + step[a] * Long(period)) / side[a];
          f(u);
        }
  }

  void add(compute::grids::Assign assign, const SlowParticle& particle, double amount) {
    for_copies(particle, [&](const std::array<Long, 3>& u) {
      std::array<std::int64_t, 3> own;
      for (std::size_t a = 0; a < 3; ++a) own[a] = std::int64_t(std::floor(u[a]));
      for (std::int64_t i = -2; i <= 2; ++i)
        for (std::int64_t j = -2; j <= 2; ++j)
          for (std::int64_t k = -2; k <= 2; ++k) {
            const std::array<std::int64_t, 3> cell{own[0] + i, own[1] + j, own[2] + k};
            Long share = 1;
            for (std::size_t a = 0; a < 3; ++a)
              share *= slow_share(assign, u[a] - Long(cell[a]) - 0.5L);
            give(cell, share * amount);
          }
    });
  }

  // By the particle's own kernel.
  void add_kernel(const SlowParticle& particle, double amount) {
    for_copies(particle, [&](const std::array<Long, 3>& u) {
      std::array<Long, 3> radius;
      std::array<std::int64_t, 3> first, last;
      bool narrow = false;
      for (std::size_t a = 0; a < 3; ++a) {
        radius[a] = std::max(particle.radius / side[a], 1e-3);
        narrow = narrow || radius[a] <= 2.5L;
      }
      for (std::size_t a = 0; a < 3; ++a) {
        first[a] = std::int64_t(std::floor(u[a] - radius[a])) - 1;
        last[a] = std::int64_t(std::floor(u[a] + radius[a])) + 1;
        if (edge[a] == compute::grids::Edge::Keep && !narrow) {
          first[a] = std::max<std::int64_t>(first[a], 0);
          last[a] = std::min<std::int64_t>(last[a], cells[a] - 1);
        }
      }
      for (std::size_t a = 0; a < 3; ++a)
        if (edge[a] == compute::grids::Edge::Cut && (last[a] < 0 || first[a] >= cells[a])) return;
      const auto weight = [&](const std::array<std::int64_t, 3>& cell) {
        Long product = 1, squared = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          const Long support = std::sqrt(11.L / 12) * radius[a];
          const Long d = Long(cell[a]) - u[a];
          product *= slow_below((d + 1) / support) - slow_below(d / support);
          squared += (d + 0.5L) * (d + 0.5L) / (radius[a] * radius[a]);
        }
        return narrow ? product : squared < 1 ? std::pow(1 - squared, 3.5L) : 0.L;
      };
      const auto for_cells = [&](const auto& f) {
        for (std::int64_t i = first[0]; i <= last[0]; ++i)
          for (std::int64_t j = first[1]; j <= last[1]; ++j)
            for (std::int64_t k = first[2]; k <= last[2]; ++k)
              f(std::array<std::int64_t, 3>{i, j, k});
      };
      Long all = 0;
      for_cells([&](const auto& cell) { all += weight(cell); });
      for_cells([&](const auto& cell) { give(cell, weight(cell) / all * amount); });
    });
  }
};

}  // namespace haloscope::test
