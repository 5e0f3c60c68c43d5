#pragma once

#include "core/array.h"
#include "core/domain.h"
#include "core/host_device.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace haloscope {

// A box in the lattice of a domain, across its edges where it reaches over them: on each axis the
// steps from `low` to `low + beyond`, both included.
struct LatticeBox {
  std::uint32_t low[3] = {0, 0, 0};
  std::uint32_t beyond[3] = {0, 0, 0};

  HALOSCOPE_HD bool contains(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return x - low[0] <= beyond[0] && y - low[1] <= beyond[1] && z - low[2] <= beyond[2];
  }
};

// Those points of a type that lie in such a box.
struct RowsInBox {
  Array<std::uint32_t> rows;  // ascending
  std::array<Array<std::uint32_t>, 3> position;
};

// All that lies between `low` and `high` (code lengths) in a periodic domain, around the box where
// low > high on an axis, and a step or two more at each face.
inline LatticeBox lattice_box(const Domain& domain, const std::array<double, 3>& low,
                              const std::array<double, 3>& high) {
  LatticeBox box;
  for (std::size_t a = 0; a < 3; ++a) {
    double width = high[a] - low[a];
    if (width <= 0) width += domain.side;
    const double steps = std::ceil(width / domain.step()) + 3;
    box.low[a] = domain.to_fixed(low[a], int(a)) - 1;
    box.beyond[a] = steps < 4294967295.0 ? std::uint32_t(steps) : 0xffffffffu;
  }
  return box;
}

}  // namespace haloscope
