#pragma once

#include "compute/splotch/light_quantiles.h"
#include "core/image.h"

#include <memory>

namespace haloscope::compute::splotch {

// A picture of linear light in a GPU's memory: RGBA float32 with A = 1, row 0
// on top, rows without gaps. It may outlive the renderer that drew it, and may
// be read and let go on any thread; who reads it on the GPU must have finished
// when lets go.
class DeviceImage {
 public:
  virtual ~DeviceImage() = default;
  int width() const { return width_; }
  int height() const { return height_; }
  // CUDA's number of the GPU.
  int device() const { return device_; }
  const float* rgba() const { return rgba_; }
  // cudaEvent_t: the picture is there once it was passed.
  void* ready() const { return ready_; }
  const LightQuantiles& light() const { return light_; }
  // The same picture as the host has it, 3 channels. Waits. Throws Error.
  virtual ImageF to_host() const = 0;

 protected:
  DeviceImage() = default;
  DeviceImage(const DeviceImage&) = delete;
  DeviceImage& operator=(const DeviceImage&) = delete;

  int width_ = 0, height_ = 0, device_ = 0;
  float* rgba_ = nullptr;
  void* ready_ = nullptr;
  LightQuantiles light_;
};

}  // namespace haloscope::compute::splotch
