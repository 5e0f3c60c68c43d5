#include "analysis/topology/field_statistics.h"

#include "analysis/grids/ranked_stretches.h"
#include "compute/exec/part_of_rows.h"
#include "compute/topology/ordered_bits.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace haloscope::analysis {

namespace {

// What one stretch of cells adds.
struct StretchOfField {
  double sum = 0, squares = 0;  // of the squares: about the mean
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  std::uint64_t finite = 0, negative = 0;
  std::size_t bad = std::numeric_limits<std::size_t>::max();  // the first cell that is refused
  bool infinite = false;                                      // that one; else no number
};

template <class T>
bool is_refused(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value) || value == std::numeric_limits<T>::infinity();
  else
    return false;
}

template <class T>
bool is_finite(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isfinite(value);
  else
    return true;
}

[[noreturn]] void refuse_cell(const Grid& grid, std::size_t cell, bool infinite) {
  const std::uint64_t row = cell / grid.cells[2];
  throw Error(
      fmt::format("the value of cell ({}, {}, {}) is {}", row / grid.cells[1], row % grid.cells[1],
                  cell % grid.cells[2], infinite ? "infinite" : "not a number"),
      "grid", "put a number there first");
}

// `first`: the cell of the grid that values[0] is of.
template <class T>
void first_pass(std::span<const T> values, std::size_t first, std::size_t begin, std::size_t end,
                StretchOfField& part) {
  for (std::size_t i = begin; i < end; ++i) {
    if (is_refused(values[i])) {
      if (first + i < part.bad) part.infinite = values[i] == values[i];
      part.bad = std::min(part.bad, first + i);
      continue;
    }
    if (!is_finite(values[i])) continue;
    const double value = double(values[i]);
    ++part.finite;
    part.negative += value < 0;
    part.sum += value;
    part.lowest = std::min(part.lowest, value);
    part.highest = std::max(part.highest, value);
  }
}

template <class T>
FieldStatistics measure_values(const Grid& grid, std::span<const T> values, compute::Ranks& ranks) {
  const RankedStretches<StretchOfField> stretches(ranks, values.size());
  const auto first = std::size_t(stretches.first_cell());
  const auto sums = stretches.run([&](StretchOfField& one, std::size_t begin, std::size_t end) {
    first_pass(values, first, begin, end, one);
  });
  StretchOfField all;
  for (const StretchOfField& part : sums) {
    all.sum += part.sum;
    all.finite += part.finite;
    all.negative += part.negative;
    all.lowest = std::min(all.lowest, part.lowest);
    all.highest = std::max(all.highest, part.highest);
    all.bad = std::min(all.bad, part.bad);
    all.infinite = all.bad == part.bad ? part.infinite : all.infinite;
  }
  if (all.bad < grid.count()) refuse_cell(grid, all.bad, all.infinite);
  if (all.finite == 0) throw Error("no cell holds a finite number", "grid", "give another one");
  FieldStatistics statistics;
  statistics.mean = all.sum / double(all.finite);
  const auto squares = stretches.run([&](StretchOfField& one, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_finite(values[i])) {
        const double away = double(values[i]) - statistics.mean;
        one.squares += away * away;
      }
  });
  for (const StretchOfField& part : squares) all.squares += part.squares;
  statistics.deviation = std::sqrt(all.squares / double(all.finite));
  statistics.lowest = all.lowest;
  statistics.highest = all.highest;
  statistics.finite = all.finite;
  statistics.negative = all.negative;
  return statistics;
}

}  // namespace

FieldStatistics measure_field(const Grid& grid, compute::Ranks& ranks) {
  return with_values(grid, [&](auto values) { return measure_values(grid, values, ranks); });
}

std::uint64_t last_cell(const Grid& grid, compute::topology::Levels levels, compute::Ranks& ranks) {
  const bool super = levels == compute::topology::Levels::Super;
  return with_values(grid, [&](auto values) {
    std::size_t last = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
      if (super ? values[i] <= values[last] : values[i] >= values[last]) last = i;
    if (ranks.size() == 1) return std::uint64_t(last);
    struct Last {
      std::uint64_t bits, cell;
    };
    std::vector<Last> own;
    const std::uint64_t first = compute::PartOfRows(ranks, values.size()).first();
    if (!values.empty())
      own.push_back({compute::topology::ordered_bits(values[last]), first + last});
    Last found{};
    bool is_first = true;
    for (const Last& one : ranks.all_gather<Last>(std::span<const Last>(own))) {
      if (is_first || (super ? one.bits <= found.bits : one.bits >= found.bits)) found = one;
      is_first = false;
    }
    return found.cell;
  });
}

Grid logarithm_of(const Grid& grid) {
  Grid log;
  log.cells = grid.cells;
  log.scalar = grid.scalar == GridScalar::Float32 ? GridScalar::Float32 : GridScalar::Float64;
  log.name = "log10_" + grid.name;
  if (!grid.unit.empty()) log.unit = "log10(" + grid.unit + ")";
  log.low = grid.low;
  log.spacing = grid.spacing;
  log.length_unit = grid.length_unit;
  log.periodic = grid.periodic;
  log.provenance = grid.provenance;
  log.bytes = Array<std::byte>(grid.bytes.size() / grid_scalar_bytes(grid.scalar) *
                               grid_scalar_bytes(log.scalar));
  with_values(grid, [&](auto values) {
    const auto take = [&](auto* to) {
      using To = std::remove_pointer_t<decltype(to)>;
      tbb::parallel_for(std::size_t(0), stretches_of(values.size()), [&](std::size_t k) {
        const std::size_t end = std::min(values.size(), (k + 1) * kCellsOfStretch);
        for (std::size_t i = k * kCellsOfStretch; i < end; ++i)
          to[i] = To(std::log10(std::fabs(double(values[i]))));
      });
    };
    if (log.scalar == GridScalar::Float32)
      take(log.values<float>());
    else
      take(log.values<double>());
  });
  return log;
}

}  // namespace haloscope::analysis
