#include "analysis/halos/halo_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::analysis {

namespace {

constexpr double kMostCellsPerAxis = 256;

}  // namespace

HaloPoints::HaloPoints(const std::vector<std::array<double, 3>>& points, double box)
    : points_(points), box_(box) {
  std::array<double, 3> extent{box, box, box};
  if (!(box > 0) && !points.empty()) {
    std::array<double, 3> high = points.front();
    origin_ = points.front();
    for (const auto& p : points)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        origin_[axis] = std::min(origin_[axis], p[axis]);
        high[axis] = std::max(high[axis], p[axis]);
      }
    for (std::size_t axis = 0; axis < 3; ++axis) extent[axis] = high[axis] - origin_[axis];
  }
  const double largest = *std::max_element(extent.begin(), extent.end());
  const double per_axis = std::clamp(std::cbrt(double(points.size())), 1.0, kMostCellsPerAxis);
  // Whole cells in a periodic box, or the last one would be narrower than the shells assume.
  if (largest > 0 && std::isfinite(largest)) {
    cell_side_ = largest / std::floor(per_axis);
    for (std::size_t axis = 0; axis < 3; ++axis)
      cells_[axis] = box > 0 ? std::int64_t(per_axis)
                             : std::clamp<std::int64_t>(std::int64_t(extent[axis] / cell_side_) + 1,
                                                        1, std::int64_t(kMostCellsPerAxis) + 1);
  }
  const auto index = [&](const std::array<double, 3>& p) {
    return std::size_t((cell_of(p[2], 2) * cells_[1] + cell_of(p[1], 1)) * cells_[0] +
                       cell_of(p[0], 0));
  };
  begin_.assign(std::size_t(cells_[0] * cells_[1] * cells_[2]) + 1, 0);
  for (const auto& p : points) ++begin_[index(p) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  order_.resize(points.size());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint64_t row = 0; row < points.size(); ++row) order_[next[index(points[row])]++] = row;
}

std::int64_t HaloPoints::cell_of(double x, int axis) const {
  const auto a = std::size_t(axis);
  double u = x - origin_[a];
  if (box_ > 0) u -= std::floor(u / box_) * box_;
  // Not a number and infinite ones too, which no cast survives.
  if (!(u > 0)) return 0;
  if (!(u < double(cells_[a]) * cell_side_)) return cells_[a] - 1;
  return std::min(std::int64_t(u / cell_side_), cells_[a] - 1);
}

void HaloPoints::search_cell(const std::array<std::int64_t, 3>& cell,
                             const std::array<double, 3>& at, std::optional<Neighbor>& best,
                             double& limit) const {
  const auto index = std::size_t((cell[2] * cells_[1] + cell[1]) * cells_[0] + cell[0]);
  for (std::uint64_t i = begin_[index]; i < begin_[index + 1]; ++i) {
    const auto& p = points_[order_[i]];
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double d = p[axis] - at[axis];
      if (box_ > 0) d -= std::round(d / box_) * box_;
      square += d * d;
    }
    const double distance = std::sqrt(square);
    const bool nearer =
        best ? distance < best->distance || (distance == best->distance && order_[i] < best->row)
             : distance <= limit;
    if (nearer) {
      best = Neighbor{order_[i], distance};
      limit = distance;
    }
  }
}

// Shell by shell of cells around the point's own, until what is left is farther than the best.
std::optional<HaloPoints::Neighbor> HaloPoints::nearest(const std::array<double, 3>& at,
                                                        double limit) const {
  if (points_.empty()) return {};
  std::optional<Neighbor> best;
  std::array<std::int64_t, 3> home{};
  std::int64_t last = 0;
  double margin = cell_side_;  // from the point to the nearest face of its cell
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Without a box the point may lie outside of the cells: from the nearest one, the distances of
    // shells are lower bounds still.
    home[axis] = cell_of(at[axis], int(axis));
    last = std::max(
        last, box_ > 0 ? cells_[axis] / 2 : std::max(home[axis], cells_[axis] - 1 - home[axis]));
    double u = at[axis] - origin_[axis];
    if (box_ > 0) u -= std::floor(u / box_) * box_;
    const double inside = u - double(home[axis]) * cell_side_;
    // A hair less than it is: cells are told apart by rounded quotients.
    margin = std::min(margin, std::min(inside, cell_side_ - inside) - 1e-9 * cell_side_);
  }
  for (std::int64_t shell = 0; shell <= last; ++shell) {
    if (shell > 0 && double(shell - 1) * cell_side_ + std::max(margin, 0.0) > limit) break;
    // Periodic cells have one place each, between -(n-1)/2 and n/2 from home.
    const auto low = [&](std::size_t a) {
      return box_ > 0 ? std::max(-shell, -((cells_[a] - 1) / 2)) : std::max(-shell, -home[a]);
    };
    const auto high = [&](std::size_t a) {
      return box_ > 0 ? std::min(shell, cells_[a] / 2) : std::min(shell, cells_[a] - 1 - home[a]);
    };
    for (std::int64_t k = low(2); k <= high(2); ++k)
      for (std::int64_t j = low(1); j <= high(1); ++j) {
        const bool rim = std::abs(k) == shell || std::abs(j) == shell;
        for (std::int64_t i = low(0); i <= high(0); ++i) {
          if (!rim && std::abs(i) != shell) {
            i = std::max(i, std::min(shell - 1, high(0)));  // skip the inside of the row
            continue;
          }
          std::array<std::int64_t, 3> cell{home[0] + i, home[1] + j, home[2] + k};
          for (std::size_t a = 0; a < 3; ++a) {
            if (box_ > 0) cell[a] = (cell[a] % cells_[a] + cells_[a]) % cells_[a];
          }
          search_cell(cell, at, best, limit);
        }
      }
  }
  return best;
}

}  // namespace haloscope::analysis
