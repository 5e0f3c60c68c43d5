#pragma once

#include "compute/exec/device.h"

#include <cstdint>
#include <memory>

namespace haloscope::benchmarks {

// Values that lie on a device.
class ValuesOnDevice {
 public:
  virtual ~ValuesOnDevice() = default;
  virtual const float* values() const = 0;
};

// Planes `begin` to `end` of a periodic cube of side³ cells: noise of a bell curve, smoothed by a
// Gaussian of `sigma` cells, at most 8. A value depends on cell, side and sigma alone, so that
// several devices make one grid. Made on the device, where it takes little more than the values;
// the device's peak of memory is forgotten.
std::unique_ptr<ValuesOnDevice> make_smooth_noise(compute::Device device, std::uint32_t side,
                                                  std::uint32_t begin, std::uint32_t end,
                                                  double sigma);

std::unique_ptr<ValuesOnDevice> make_cpu_smooth_noise(std::uint32_t side, std::uint32_t begin,
                                                      std::uint32_t end, double sigma);
std::unique_ptr<ValuesOnDevice> make_cuda_smooth_noise(compute::Device device, std::uint32_t side,
                                                       std::uint32_t begin, std::uint32_t end,
                                                       double sigma);

}  // namespace haloscope::benchmarks
