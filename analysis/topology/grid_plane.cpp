#include "analysis/topology/grid_plane.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

using compute::splotch::Transform;

constexpr double kBelowLimits = 0.1, kAboveLimits = 0.001;  // of the cells
constexpr std::uint64_t kLookedAt = 1u << 20;               // cells

// Along one axis, or none.
std::optional<std::uint64_t> cell_along(double point, double low, double spacing,
                                        std::uint64_t cells, double period) {
  double apart = point - low;
  if (period > 0) apart -= period * std::floor(apart / period);
  const double at = std::floor(apart / spacing);
  if (!(at >= 0 && at < double(cells))) return {};
  return std::uint64_t(at);
}

}  // namespace

std::optional<std::size_t> GridPlane::cell_at(const std::array<double, 2>& point) const {
  std::size_t cell = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    const auto at = cell_along(point[a], low[a], spacing[a], cells[a], period);
    if (!at) return {};
    cell = cell * std::size_t(cells[a]) + std::size_t(*at);
  }
  return cell;
}

std::optional<GridPlane> take_plane(const FoundPeaks& found, std::size_t axis, double position) {
  const Grid& grid = found.tree->grid();
  const double end = grid.low[axis] + double(grid.cells[axis]) * grid.spacing[axis];
  // The upper face belongs to the last layer.
  const auto layer = position == end ? std::optional(grid.cells[axis] - 1)
                                     : cell_along(position, grid.low[axis], grid.spacing[axis],
                                                  grid.cells[axis], 0);
  if (!layer) return {};
  GridPlane plane;
  plane.axis = axis;
  plane.position = position;
  plane.length_unit = grid.length_unit;
  plane.period = found.period;
  plane.name = grid.name;
  plane.unit = grid.unit;
  const std::size_t first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  plane.cells = {grid.cells[first], grid.cells[second]};
  plane.low = {grid.low[first], grid.low[second]};
  plane.spacing = {grid.spacing[first], grid.spacing[second]};
  plane.values.resize(std::size_t(plane.cells[0] * plane.cells[1]));
  with_values(grid, [&](auto values) {
    tbb::parallel_for(std::uint64_t(0), grid.cells[first], [&](std::uint64_t row) {
      std::array<std::uint64_t, 3> at{};
      at[axis] = *layer;
      at[first] = row;
      float* to = plane.values.data() + row * grid.cells[second];
      for (at[second] = 0; at[second] < grid.cells[second]; ++at[second])
        *to++ = float(values[std::size_t((at[0] * grid.cells[1] + at[1]) * grid.cells[2] + at[2])]);
    });
  });
  return plane;
}

compute::splotch::Ranging grid_color(const GridTree& tree) {
  compute::splotch::Ranging color;
  const bool log = !tree.is_log() && tree.statistics().lowest >= 0 && tree.statistics().highest > 0;
  if (log) color.transform = Transform::Log;
  std::vector<double> seen;
  with_values(tree.grid(), [&](auto values) {
    // Odd: else all cells that are looked at in a grid of 1024³ would lie in one plane.
    const std::size_t step = std::max<std::size_t>(1, values.size() / kLookedAt) | 1;
    for (std::size_t k = 0; k < values.size(); k += step) {
      const double value = double(values[k]);
      if (std::isfinite(value) && (!log || value > 0)) seen.push_back(value);
    }
  });
  if (seen.empty()) return color;
  const auto value_of = [&](double part) {
    const auto at = seen.begin() + std::ptrdiff_t(std::lround(part * double(seen.size() - 1)));
    std::nth_element(seen.begin(), at, seen.end());
    return log ? std::log10(*at) : *at;
  };
  color.low = float(value_of(kBelowLimits));
  color.high = float(value_of(1 - kAboveLimits));
  if (!(color.low < color.high)) color.high = color.low + 1;
  return color;
}

}  // namespace haloscope::analysis
