#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::spatial {

// A place in the lattice of a domain.
struct FixedPoint {
  std::uint32_t x, y, z;
};

// Positions where an executor reads them. Whoever reads does so by at(), so that positions can be
// stored in another way without other readers.
struct Positions {
  const std::uint32_t* x = nullptr;
  const std::uint32_t* y = nullptr;
  const std::uint32_t* z = nullptr;

  HALOSCOPE_HD FixedPoint at(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

// The same with the row that each point has in the columns which the points came from.
struct PointsView {
  Positions position;
  const std::uint32_t* rows = nullptr;  // null: points lie in the order of the rows
  std::uint32_t count = 0;
  bool in_morton_order = false;

  HALOSCOPE_HD FixedPoint at(std::size_t i) const { return position.at(i); }
  HALOSCOPE_HD std::uint32_t row(std::size_t i) const { return rows ? rows[i] : std::uint32_t(i); }
};

}  // namespace haloscope::compute::spatial
