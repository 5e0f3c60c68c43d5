#include "compute/clusters/cut_limit.h"

#include "compute/spatial/cell_grid.inl"

namespace haloscope::compute::clusters {

std::uint64_t squared_cut_limit(double length, double step) {
  return spatial::make_cell_reach(length / step).squared;
}

}  // namespace haloscope::compute::clusters
