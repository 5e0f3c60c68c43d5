#pragma once

#include "compute/exec/device.h"
#include "compute/grids/axis_shares.h"
#include "compute/grids/grid_frame.h"
#include "core/array.h"
#include "core/progress.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <vector>

// Grids of what particles hold.
namespace haloscope::compute::grids {

// What a cell holds of its shares of the particles.
enum class Quantity : std::uint8_t {
  Count,  // their number
  Mass,   // the sum of their masses
  Sum,    // the sum of a field
  Mean    // the mean of a field, weighted by mass; NaN where there is no mass
};

// Whether it is of a field of the particles.
inline bool is_of_field(Quantity quantity) {
  return quantity == Quantity::Sum || quantity == Quantity::Mean;
}

// Columns of one particle type in host memory, all of length `count`. Positions are in the domain
// of the frame.
struct GridPoints {
  std::uint64_t count = 0;
  std::array<const std::uint32_t*, 3> position{};
  const float* mass = nullptr;  // null: uniform_mass
  double uniform_mass = 1;
  const float* field = nullptr;   // of Sum and Mean; null: the type has no part in them
  const float* radius = nullptr;  // where the kernel ends, world length; for Assign::Kernel
};

struct GridRequest {
  GridFrame frame;
  Assign assign = Assign::CloudInCell;
  Quantity quantity = Quantity::Mass;
  // Widths σ of a Gaussian, in cells of each axis; 0: none. Of a mean, mass and mass times field
  // are smoothed apart.
  std::array<double, 3> smoothing{0, 0, 0};
};

struct DensityGrid {
  Array<float> values;         // in C's order, the first axis is the slowest
  double total = 0;            // of all cells before the smoothing, but for rounding to float32;
                               // of a mean: the mass
  double quantum = 0;          // what shares were rounded to (grid_quanta.h)
  std::uint64_t left_out = 0;  // particles whose mass or field is not a finite number
  Timings timings;
};

// Assigns particles of all types to one grid on a device. The result is the same to the bit on any
// device, with any number of threads and in any order of the particles. Throws Error for sums
// beyond float32, smoothing that check_smoothing() refuses, and where memory does not hold 8 bytes
// a cell (16 for a mean) beside 4 on the host; and Cancelled.
DensityGrid make_density_grid(Device device, const GridRequest& request,
                              const std::vector<GridPoints>& points, Progress& progress);

DensityGrid make_cpu_density_grid(const GridRequest& request, const std::vector<GridPoints>& points,
                                  Progress& progress);
DensityGrid make_cuda_density_grid(Device device, const GridRequest& request,
                                   const std::vector<GridPoints>& points, Progress& progress);

}  // namespace haloscope::compute::grids
