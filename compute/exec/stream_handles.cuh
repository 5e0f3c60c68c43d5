#pragma once

#include <cuda_runtime.h>

namespace haloscope::compute {

// A stream and an event that are destroyed with their owner, also when its construction fails.
struct StreamHandle {
  cudaStream_t stream = nullptr;
  StreamHandle() = default;
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;
  ~StreamHandle() {
    if (!stream) return;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
};
struct EventHandle {
  cudaEvent_t event = nullptr;
  EventHandle() = default;
  EventHandle(const EventHandle&) = delete;
  EventHandle& operator=(const EventHandle&) = delete;
  ~EventHandle() {
    if (event) cudaEventDestroy(event);
  }
};

}  // namespace haloscope::compute
