#include "analysis/halos/box_filling.h"

#include "core/snapshot_info.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace haloscope::analysis {

namespace {

constexpr double kBoxRounding = 1e-5;  // single precision and the sums that made it

}  // namespace

bool fills_box(const ParticleSet& particles, const std::vector<int>& types) {
  if (!particles.domain.periodic) return false;
  constexpr int kToCell = 30;  // the two highest bits of a lattice coordinate
  std::uint64_t held = 0;      // a bit per cell
  for (const auto& columns : particles.types) {
    if (!is_among(types, columns.type)) continue;
    const std::size_t count = columns.position[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t cell = 0;
      for (const auto& axis : columns.position) cell = cell << 2 | axis[i] >> kToCell;
      held |= std::uint64_t(1) << cell;
      if (held == ~std::uint64_t(0)) return true;
    }
  }
  return false;
}

bool have_equal_masses(const ParticleSet& particles, const std::vector<int>& types) {
  double least = 0, most = 0;
  bool first = true;
  const auto add = [&](double low, double high) {
    least = first ? low : std::min(least, low);
    most = first ? high : std::max(most, high);
    first = false;
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
  return least > 0 && most <= least * (1 + kBoxRounding);
}

}  // namespace haloscope::analysis
