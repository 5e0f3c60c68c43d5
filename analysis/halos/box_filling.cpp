#include "analysis/halos/box_filling.h"

#include "core/snapshot_info.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace haloscope::analysis {

namespace {

constexpr double kBoxRounding = 1e-5;  // single precision and the sums that made it

}  // namespace

bool fills_box(const ParticleSet& particles, const std::vector<int>& types, compute::Ranks& ranks) {
  if (!particles.domain.periodic) return false;
  constexpr int kToCell = 30;  // the two highest bits of a lattice coordinate
  std::uint64_t held = 0;      // a bit per cell
  for (const auto& columns : particles.types) {
    if (!is_among(types, columns.type)) continue;
    const std::size_t count = columns.position[0].size();
    for (std::size_t i = 0; i < count && held != ~std::uint64_t(0); ++i) {
      std::uint32_t cell = 0;
      for (const auto& axis : columns.position) cell = cell << 2 | axis[i] >> kToCell;
      held |= std::uint64_t(1) << cell;
    }
  }
  ranks.all_reduce(std::span(&held, 1), [](std::uint64_t a, std::uint64_t b) { return a | b; });
  return held == ~std::uint64_t(0);
}

bool have_equal_masses(const ParticleSet& particles, const std::vector<int>& types,
                       compute::Ranks& ranks) {
  // The least, and the negative of the most: both are minima.
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::array<double, 2> edges{kNone, kNone};
  const auto add = [&](double low, double high) {
    edges[0] = std::min(edges[0], low);
    edges[1] = std::min(edges[1], -high);
  };
  for (const auto& columns : particles.types) {
    if (!is_among(types, columns.type) || columns.count == 0) continue;
    if (columns.mass.empty()) {
      add(columns.uniform_mass, columns.uniform_mass);
      continue;
    }
    const float* const mass = columns.mass.data();
    const auto [low, high] = std::minmax_element(mass, mass + columns.mass.size());
    add(double(*low), double(*high));
  }
  ranks.all_reduce(std::span<double>(edges), [](double a, double b) { return std::min(a, b); });
  const double least = edges[0], most = -edges[1];
  return least > 0 && most <= least * (1 + kBoxRounding);
}

}  // namespace haloscope::analysis
