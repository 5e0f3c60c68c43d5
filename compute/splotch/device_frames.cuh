#pragma once

#include "compute/exec/cuda.h"
#include "compute/splotch/device_image.h"

#include <memory>
#include <vector>

namespace haloscope::compute::splotch {

// Makes pictures that stay on the GPU, in memory that comes back when they are
// let go: a window that draws sixty a second asks the driver for none.
class DeviceFrames {
 public:
  explicit DeviceFrames(Device device);

  // A copy of `image` (RGBA, A unused) with the CPU's share added, which is
  // empty or RGBA on the host; and the quantiles of its light. Throws Error
  // where memory lacks. `exec` is of the same GPU.
  std::shared_ptr<const DeviceImage> keep(Cuda& exec, const float* image,
                                          const std::vector<float>& cpu_share, int width,
                                          int height);

 private:
  class Pool;
  class PooledImage;
  std::shared_ptr<Pool> pool_;
};

}  // namespace haloscope::compute::splotch
