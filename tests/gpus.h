#pragma once

#include "compute/exec/device.h"
#include "tests/skip.h"

#include <vector>

namespace haloscope::test {

// The first two that work; empty where there are fewer, which skips the test.
inline std::vector<compute::Device> two_gpus() {
  std::vector<compute::Device> two;
  for (const compute::Device device : compute::devices())
    if (device.is_gpu() && two.size() < 2 && is_usable(device)) two.push_back(device);
  if (two.size() < 2) {
    skip(Needs::TwoGpus, "there are no two GPUs");
    two.clear();
  }
  return two;
}

}  // namespace haloscope::test
