#include "analysis/clusters/table_lattice.h"

#include "analysis/option_parsing/option_error.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kMostPeriodic = 3, kFewTableColumns = 4;

// The next power of two from `side` on, where in such a lattice, whose step is one too, all numbers
// are whole steps, as those of a grid are: then distances are exact. Else `side`.
double exact_side(const io::PointTable& table, double side) {
  int exponent = 0;
  std::frexp(side, &exponent);
  Domain domain;
  domain.side = std::ldexp(1, exponent);
  if (!std::isfinite(domain.side)) return side;
  for (const double x : table.values)
    if (const double steps = x / domain.step(); steps != std::floor(steps)) return side;
  return domain.side;
}

// In which points lie around the middle, and take up half of each axis, or a quarter where there
// are many: sums of squared differences must not exceed 64 bits.
std::vector<Domain> open_domains(const io::PointTable& table) {
  const ColumnExtents extents = extents_of(table);
  const auto& [low, high] = extents;
  double extent = 0, farthest = 0;
  for (std::size_t c = 0; c < table.columns; ++c) {
    extent = std::max(extent, high[c] - low[c]);
    farthest = std::max({farthest, std::abs(low[c]), std::abs(high[c])});
  }
  // All rows at one point: lengths of the size of the coordinates fit.
  if (!(extent > 0)) extent = farthest > 0 ? farthest : 1;
  Domain domain;
  // A hair more, so that the widest difference stays below its bound.
  domain.side = (table.columns <= kFewTableColumns ? 2 : 4) * extent * (1 + 1e-6);
  if (!std::isfinite(domain.side) || !std::isnormal(domain.step()))
    throw Error("the rows span more, or less, than floating point can hold in steps", table.path,
                "scale the columns");
  const double side = exact_side(table, domain.side);
  const bool exact = side != domain.side;
  domain.side = side;
  std::vector<Domain> domains(table.columns, domain);
  for (std::size_t c = 0; c < table.columns; ++c) {
    double& origin = domains[c].origin[0];
    origin = extents.middle(c) - domain.side / 2;
    if (exact) origin = std::floor(origin / domain.step()) * domain.step();
  }
  return domains;
}

void count_outside(const io::PointTable& table, const Domain& domain, TableLattice& lattice) {
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    bool wrapped = false, outside = false;
    for (std::size_t c = 0; c < table.columns; ++c) {
      const double x = table.at(row, c);
      wrapped = wrapped || !domain.contains(x, 0);
      outside = outside || !(x >= 0 && x <= domain.side);
    }
    lattice.wrapped += wrapped;
    lattice.outside += outside;
  }
}

}  // namespace

compute::clusters::LatticePoints TableLattice::points() const {
  compute::clusters::LatticePoints points;
  for (const auto& one : column) points.column.push_back(one.data());
  points.count = column.front().size();
  return points;
}

void check_columns(const io::PointTable& table, const std::optional<double>& box) {
  constexpr std::size_t kMost = compute::clusters::LatticePoints::kMostDimensions;
  if (table.columns > kMost)
    throw OptionError(fmt::format("the table has {} columns, and an exact tree takes {} at most",
                                  table.columns, kMost),
                      table.path, "leave out columns, or take `method` cuslink");
  if (box && table.columns > kMostPeriodic)
    throw Error(
        fmt::format("a periodic box has {} dimensions at most, and the table has {} columns",
                    kMostPeriodic, table.columns),
        table.path, "leave out --box");
}

ColumnExtents extents_of(const io::PointTable& table) {
  ColumnExtents all{std::vector<double>(table.columns, HUGE_VAL),
                    std::vector<double>(table.columns, -HUGE_VAL)};
  for (std::uint64_t row = 0; row < table.rows; ++row)
    for (std::size_t c = 0; c < table.columns; ++c) {
      all.low[c] = std::min(all.low[c], table.at(row, c));
      all.high[c] = std::max(all.high[c], table.at(row, c));
    }
  return all;
}

TableLattice open_axes(const io::PointTable& table) {
  TableLattice lattice;
  Domain domain;
  domain.periodic = false;
  lattice.axis.assign(table.columns, domain);
  return lattice;
}

TableLattice place_table(const io::PointTable& table, const std::optional<double>& box) {
  check_columns(table, box);
  TableLattice lattice;
  if (box) {
    Domain domain;
    domain.side = *box;
    domain.periodic = true;
    lattice.axis.assign(table.columns, domain);
    count_outside(table, domain, lattice);
  } else {
    lattice.axis = open_domains(table);
  }
  for (std::size_t c = 0; c < table.columns; ++c) {
    auto& column = lattice.column.emplace_back(std::size_t(table.rows));
    const Domain& domain = lattice.axis[c];
    tbb::parallel_for(std::uint64_t(0), table.rows, [&](std::uint64_t row) {
      column[std::size_t(row)] = domain.to_fixed(table.at(row, c), 0);
    });
  }
  return lattice;
}

}  // namespace haloscope::analysis
