#include "compute/topology/tree_settings.h"

#include "compute/topology/grid_blocks.h"
#include "core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <variant>

namespace haloscope::compute::topology {

namespace {

// For whole numbers: what is not below the threshold, or not above it.
template <class Whole>
KeptRange whole_range(double threshold, Levels levels) {
  constexpr KeptRange kAll{}, kNothing{1, 0};
  // The double of the largest number of 64 bits is the power of two behind it.
  constexpr double kEnd = double(std::numeric_limits<Whole>::max()),
                   kBegin = double(std::numeric_limits<Whole>::min());
  if (levels == Levels::Super) {
    const double rounded = std::ceil(threshold);
    if (rounded >= kEnd) return kNothing;
    if (rounded < kBegin) return kAll;
    return {ordered_bits(Whole(rounded)), ~std::uint64_t(0)};
  }
  const double rounded = std::floor(threshold);
  if (rounded >= kEnd) return kAll;
  if (rounded < kBegin) return kNothing;
  return {0, ordered_bits(Whole(rounded))};
}

}  // namespace

KeptRange kept_range(ValueKind kind, const TreeSettings& settings) {
  const Levels levels = settings.levels;
  if (!settings.threshold) return {};
  if (kind == ValueKind::Signed) return whole_range<std::int64_t>(*settings.threshold, levels);
  if (kind == ValueKind::Unsigned) return whole_range<std::uint64_t>(*settings.threshold, levels);
  const std::uint64_t bits = ordered_bits(*settings.threshold);
  return levels == Levels::Super ? KeptRange{bits, ~std::uint64_t(0)} : KeptRange{0, bits};
}

void require_grid(const ScalarGrid& grid, const TreeSettings& settings) {
  require_shape(grid.shape, settings);
  const auto& cells = grid.shape.cells;
  const std::size_t values = std::visit([](const auto& all) { return all.size(); }, grid.values);
  if (values != grid.shape.count())
    throw Error(
        fmt::format("{} × {} × {} cells have {} values", cells[0], cells[1], cells[2], values),
        "grid");
}

void refuse_nan(const GridShape& shape, std::uint64_t cell) {
  const std::uint64_t row = cell / shape.cells[2];
  throw Error(fmt::format("the value of cell ({}, {}, {}) is not a number", row / shape.cells[1],
                          row % shape.cells[1], cell % shape.cells[2]),
              "grid", "put a number there first");
}

}  // namespace haloscope::compute::topology
