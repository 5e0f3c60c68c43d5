#pragma once

#include "compute/exec/device.h"
#include "compute/grids/grid_frame.h"
#include "core/array.h"

#include <array>
#include <cstdint>
#include <vector>

// Gaussian smoothing of grids.
namespace haloscope::compute::grids {

// Weights of the neighbors of a cell on one axis: of cell i + first, i + first + 1, …
struct Taps {
  int first = 0;
  std::vector<double> weights;
};

// A Gaussian of width `sigma` cells, sampled at the centers of cells up to 4 σ away (rounded to
// whole cells) and divided by the sum of its weights, as SciPy's gaussian_filter takes it. On an
// axis that wraps, taps beyond half of it are added to those at the same cell.
Taps gaussian_taps(double sigma, std::uint32_t cells, Edge edge);

// How far the taps of a width reach, in cells.
std::uint32_t smoothing_reach(double sigma);

// Throws Error for widths that are negative, not finite, or larger than the axis has cells.
void check_smoothing(const std::array<double, 3>& sigma, const std::uint32_t (&cells)[3]);

// Smooths values of a grid, in C's order, by widths in cells. Cells beyond an edge that wraps are
// those of the other end; beyond one that keeps, the grid is mirrored, so that both hold the sum;
// beyond one that is cut there is nothing. One pass an axis, x first; each sum runs in double from
// the first tap to the last and is rounded to float32, so that all devices have the same bits.
// Takes 8 bytes a cell. Throws as check_smoothing().
Array<float> smooth_grid(Device device, const GridFrame& frame, const std::array<double, 3>& sigma,
                         const Array<float>& values);

Array<float> smooth_cpu_grid(const GridFrame& frame, const std::array<double, 3>& sigma,
                             const Array<float>& values);
Array<float> smooth_cuda_grid(Device device, const GridFrame& frame,
                              const std::array<double, 3>& sigma, const Array<float>& values);

}  // namespace haloscope::compute::grids
