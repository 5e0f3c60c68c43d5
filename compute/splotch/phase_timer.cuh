#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/stream_handles.cuh"
#include "compute/splotch/work_timer.h"

namespace haloscope::compute::splotch {

// Device time between its construction, or restart(), and stop(), by events on the executor's
// stream. Making events takes longer than recording them, so that timers are worth keeping.
class PhaseTimer {
 public:
  explicit PhaseTimer(Cuda& exec) : exec_(exec) {
    exec_.make_current();
    check_cuda(cudaEventCreate(&begin_.event), "making an event");
    check_cuda(cudaEventCreate(&end_.event), "making an event");
    restart();
  }

  void restart() { check_cuda(cudaEventRecord(begin_.event, exec_.stream()), "timing"); }
  void stop() { check_cuda(cudaEventRecord(end_.event, exec_.stream()), "timing"); }
  // Milliseconds; waits for the device.
  double milliseconds() {
    check_cuda(cudaEventSynchronize(end_.event), "timing");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_.event, end_.event), "timing");
    return ms;
  }

 private:
  Cuda& exec_;
  EventHandle begin_, end_;
};

template <>
class WorkTimer<Cuda> : public PhaseTimer {
 public:
  using PhaseTimer::PhaseTimer;
};

}  // namespace haloscope::compute::splotch
