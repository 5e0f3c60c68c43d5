#include "analysis/loaded_halos/sphere_cells.h"

#include "core/array.h"
#include "core/labels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace haloscope::analysis {

namespace {

constexpr int kMostCellsPerAxis = 256;  // per axis
constexpr double kLatticeSteps = 4294967296.0;

}  // namespace

SphereCells::SphereCells(const std::vector<PiecePlace>& places, const Domain& domain)
    : periodic_(domain.periodic) {
  for (const PiecePlace& place : places) {
    Sphere sphere;
    for (std::size_t a = 0; a < 3; ++a) {
      const double at = (place.center[a] - domain.origin[a]) / domain.side;
      sphere.center[a] = periodic_ ? at - std::floor(at) : at;
    }
    const bool known = std::isfinite(sphere.center[0] + sphere.center[1] + sphere.center[2]);
    sphere.radius = known && place.radius > 0 ? place.radius / domain.side : 0;
    spheres_.push_back(sphere);
  }
  // About one sphere per cell, were they spread evenly.
  cells_ = std::clamp(int(std::cbrt(double(spheres_.size()))), 1, kMostCellsPerAxis);
  const auto all = std::size_t(cells_) * std::size_t(cells_) * std::size_t(cells_);
  begin_.assign(all + 1, 0);
  for (const Sphere& sphere : spheres_)
    each_cell(sphere, [&](std::size_t cell) { ++begin_[cell + 1]; });
  for (std::size_t cell = 0; cell < all; ++cell) begin_[cell + 1] += begin_[cell];
  require_host_memory(begin_.back() * sizeof(std::uint32_t), "the cells of the halos' spheres");
  list_.resize(std::size_t(begin_.back()));
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t k = 0; k < spheres_.size(); ++k)
    each_cell(spheres_[k],
              [&](std::size_t cell) { list_[std::size_t(next[cell]++)] = std::uint32_t(k); });
}

// Calls with each cell that the cube around a sphere reaches into, once.
template <class Visit>
void SphereCells::each_cell(const Sphere& sphere, const Visit& visit) const {
  if (!(sphere.radius > 0)) return;
  const int n = cells_;
  std::array<int, 3> low{}, count{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double from = std::floor((sphere.center[a] - sphere.radius) * n);
    const double to = std::floor((sphere.center[a] + sphere.radius) * n);
    if (periodic_) {
      low[a] = int(std::max(from, -double(n)));
      count[a] = int(std::min(to - from + 1, double(n)));
    } else {
      low[a] = int(std::clamp(from, 0.0, double(n - 1)));
      count[a] = int(std::clamp(to, -1.0, double(n - 1))) - low[a] + 1;
    }
  }
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        const int x = (low[0] + i + n) % n, y = (low[1] + j + n) % n, z = (low[2] + k + n) % n;
        visit((std::size_t(x) * std::size_t(n) + std::size_t(y)) * std::size_t(n) + std::size_t(z));
      }
}

double SphereCells::apart(double a, double b) const {
  const double d = a - b;
  return periodic_ ? d - std::round(d) : d;
}

std::uint32_t SphereCells::nearest(const std::array<std::uint32_t, 3>& at) const {
  std::array<double, 3> point{};
  std::size_t cell = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    point[a] = double(at[a]) / kLatticeSteps;
    cell = cell * std::size_t(cells_) + std::size_t(point[a] * cells_);
  }
  std::uint32_t best = Labels::kNone;
  double least = 1;
  for (std::uint64_t k = begin_[cell]; k < begin_[cell + 1]; ++k) {
    const std::uint32_t number = list_[std::size_t(k)];
    const Sphere& sphere = spheres_[number];
    double squared = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = apart(point[a], sphere.center[a]);
      squared += d * d;
    }
    const double ratio = squared / (sphere.radius * sphere.radius);
    if (ratio <= 1 && (best == Labels::kNone || ratio < least)) {
      least = ratio;
      best = number;
    }
  }
  return best;
}

}  // namespace haloscope::analysis
