#pragma once

#include "compute/exec/cuda.h"
#include "compute/splotch/work_timer.h"

namespace haloscope::compute::splotch {

// Device time between its construction and stop(), by events on the executor's stream.
class PhaseTimer {
 public:
  explicit PhaseTimer(Cuda& exec) : exec_(exec) {
    exec_.make_current();
    check_cuda(cudaEventCreate(&begin_), "making an event");
    check_cuda(cudaEventCreate(&end_), "making an event");
    check_cuda(cudaEventRecord(begin_, exec_.stream()), "timing");
  }
  ~PhaseTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

  void stop() { check_cuda(cudaEventRecord(end_, exec_.stream()), "timing"); }
  // Milliseconds; waits for the device.
  double milliseconds() {
    check_cuda(cudaEventSynchronize(end_), "timing");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "timing");
    return ms;
  }

 private:
  Cuda& exec_;
  cudaEvent_t begin_{}, end_{};
};

template <>
class WorkTimer<Cuda> : public PhaseTimer {
 public:
  using PhaseTimer::PhaseTimer;
};

}  // namespace haloscope::compute::splotch
