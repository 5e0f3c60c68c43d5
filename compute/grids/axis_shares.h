#pragma once

#include "compute/exec/rounded.h"
#include "core/host_device.h"

#include <cstdint>

// How the particles of a grid are shared among cells (Hockney & Eastwood 1988, §5-3).
namespace haloscope::compute::grids {

enum class Assign : std::uint8_t {
  Nearest,      // all of it to the cell that it lies in
  CloudInCell,  // a box as wide as a cell
  Triangular,   // a triangle two cells wide
  Kernel        // the particle's own smoothing kernel (kernel_shares.h)
};

// Cells beside its own that a particle can reach. Not of kernels.
inline constexpr int kReach = 1;

HALOSCOPE_HD inline std::int64_t floor_to_whole(double x) {
  const auto i = std::int64_t(x);
  return i - (x < double(i) ? 1 : 0);
}

// The shares of neighboring cells of one axis: cell first + k gets what lies between until[k − 1],
// or 0, and until[k]; the last `until` is 1.
struct AxisShares {
  std::int64_t first = 0;
  int count = 1;
  double until[3] = {1, 1, 1};
};

// Of a particle at place u (in cells) of the axis.
HALOSCOPE_HD inline AxisShares axis_shares(Assign assign, double u) {
  AxisShares shares;
  if (assign == Assign::CloudInCell) {
    shares.first = floor_to_whole(u - 0.5);
    shares.count = 2;
    shares.until[0] = 1 - (u - 0.5 - double(shares.first));
  } else if (assign == Assign::Triangular) {
    const std::int64_t own = floor_to_whole(u);
    const double d = u - double(own) - 0.5;  // from the center of its cell
    shares.first = own - 1;
    shares.count = 3;
    shares.until[0] = 0.5 * (0.5 - d) * (0.5 - d);
    shares.until[1] = 1 - 0.5 * (0.5 + d) * (0.5 + d);
  } else {
    shares.first = floor_to_whole(u);
  }
  return shares;
}

// Whole quanta cut into parts that sum to all of them: the part that ends at `until` is what
// cut() returns minus what it returned for the end of the part before. Each part is off by at most
// one quantum.
HALOSCOPE_HD inline std::int64_t cut(std::int64_t quanta, double until) {
  return until >= 1 ? quanta : rounded(double(quanta) * until);
}

}  // namespace haloscope::compute::grids
