#pragma once

#include "compute/exec/device.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute {

// A label per point that stays on a device, all bits set for points of no cluster. It never
// changes, so that threads share it.
class ResidentLabels {
 public:
  virtual ~ResidentLabels() = default;
  virtual Device device() const = 0;
  virtual const std::uint32_t* data() const = 0;  // on the device
  virtual std::uint32_t count() const = 0;
  virtual std::vector<std::uint32_t> download() const = 0;
};

}  // namespace haloscope::compute
