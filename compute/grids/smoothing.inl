#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/grids/smoothing.h"
#include "core/host_device.h"

#include <cstddef>
#include <utility>

namespace haloscope::compute::grids {

// One axis of a grid; `stride` values lie between neighbors on it.
struct SmoothAxis {
  const float* from;
  float* to;
  const double* weights;
  int first, taps;
  std::uint32_t cells;
  std::uint64_t stride;
  Edge edge;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t line = i / stride;
    const auto place = std::int64_t(line % cells);
    const float* const begin = from + (line - std::uint64_t(place)) * stride + i % stride;
    double sum = 0;
    for (int k = 0; k < taps; ++k) sum += weights[k] * value(begin, place + first + k);
    to[i] = float(sum);
  }

  // Of a place on a line, which may lie beyond its ends; where there is nothing 0, which leaves a
  // sum that began with 0 as it is.
  HALOSCOPE_HD double value(const float* begin, std::int64_t at) const {
    return inside(at) ? double(begin[std::uint64_t(at) * stride]) : 0;
  }

 private:
  HALOSCOPE_HD bool inside(std::int64_t& at) const {
    const auto n = std::int64_t(cells);
    if (at >= 0 && at < n) return true;
    if (edge == Edge::Cut) return false;
    if (edge == Edge::Wrap) {
      at = at < 0 ? at + n : at - n;  // taps are folded: at most one period away
      return true;
    }
    while (at < 0 || at >= n) at = at < 0 ? -1 - at : 2 * n - 1 - at;
    return true;
  }
};

// The plain way; a GPU has another one (smooth_lines.cuh).
template <class Exec>
void smooth_axis(Exec& exec, const SmoothAxis& axis, std::size_t cells) {
  parallel_for(exec, "smoothing", cells, axis);
}

// Smooths values that the executor reads, with room for as many values beside them. Returns where
// the result lies, which is one of the two.
template <class Exec>
float* smooth_on(Exec& exec, const GridFrame& frame, const std::array<double, 3>& sigma,
                 float* values, float* room) {
  std::uint64_t stride = frame.count();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    stride /= frame.cells[axis];
    // One cell that wraps or is mirrored stays as it is.
    if (sigma[axis] == 0 || (frame.cells[axis] == 1 && frame.edge[axis] != Edge::Cut)) continue;
    const Taps taps = gaussian_taps(sigma[axis], frame.cells[axis], frame.edge[axis]);
    const auto weights = upload(exec, taps.weights, "smoothing");
    smooth_axis(exec,
                SmoothAxis{values, room, weights.data(), taps.first, int(taps.weights.size()),
                           frame.cells[axis], stride, frame.edge[axis]},
                std::size_t(frame.count()));
    exec.synchronize();
    std::swap(values, room);
  }
  return values;
}

template <class Exec>
Array<float> smooth_grid_on(Exec& exec, const GridFrame& frame, const std::array<double, 3>& sigma,
                            const Array<float>& values) {
  const auto n = std::size_t(frame.count());
  Buffer<float, Exec> grid(exec, 2 * n, "grid");
  exec.upload(grid.data(), values.data(), n * sizeof(float));
  const float* const smooth = smooth_on(exec, frame, sigma, grid.data(), grid.data() + n);
  Array<float> result(n);
  exec.download(result.data(), smooth, n * sizeof(float));
  return result;
}

}  // namespace haloscope::compute::grids
