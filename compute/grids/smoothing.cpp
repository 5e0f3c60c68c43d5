#include "compute/grids/smoothing.h"

#include "core/check.h"
#include "core/error.h"

#include <cmath>
#include <string>

namespace haloscope::compute::grids {

std::uint32_t smoothing_reach(double sigma) {
  return std::uint32_t(4 * sigma + 0.5);
}

Taps gaussian_taps(double sigma, std::uint32_t cells, Edge edge) {
  const int reach = int(smoothing_reach(sigma));
  Taps taps;
  taps.first = -reach;
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) {
    taps.weights.push_back(std::exp(-0.5 * (k / sigma) * (k / sigma)));
    sum += taps.weights.back();
  }
  for (double& weight : taps.weights) weight /= sum;
  const int n = int(cells);
  if (edge != Edge::Wrap || 2 * reach + 1 <= n) return taps;
  Taps folded;
  folded.weights.assign(std::size_t(n), 0.);
  for (int k = -reach; k <= reach; ++k)
    folded.weights[std::size_t((k % n + n) % n)] += taps.weights[std::size_t(k + reach)];
  return folded;
}

void check_smoothing(const std::array<double, 3>& sigma, const std::uint32_t (&cells)[3]) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    static constexpr const char* kAxes[] = {"the x axis", "the y axis", "the z axis"};
    if (!std::isfinite(sigma[axis]) || sigma[axis] < 0)
      throw Error("the width of the smoothing is not a number of 0 or more", kAxes[axis]);
    if (cells[axis] > 1 && sigma[axis] > cells[axis])
      throw Error("the smoothing is wider than the grid, which has " + std::to_string(cells[axis]) +
                      " cells there",
                  kAxes[axis], "choose a smaller width");
  }
}

Array<float> smooth_grid(Device device, const GridFrame& frame, const std::array<double, 3>& sigma,
                         const Array<float>& values) {
  HALOSCOPE_CHECK(values.size(), ==, frame.count());
  check_smoothing(sigma, frame.cells);
  return device.is_gpu() ? smooth_cuda_grid(device, frame, sigma, values)
                         : smooth_cpu_grid(frame, sigma, values);
}

}  // namespace haloscope::compute::grids
