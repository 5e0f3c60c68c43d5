#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/stream_handles.cuh"

#include <type_traits>

namespace haloscope::compute {

// A value in pinned host memory, to which a GPU's copies go while the host does something else:
// those to other memory make it wait.
template <class T>
class PinnedValue {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit PinnedValue(Cuda& exec) {
    exec.make_current();
    void* p = nullptr;
    check_cuda(cudaHostAlloc(&p, sizeof(T), cudaHostAllocPortable), "pinning memory");
    value_ = static_cast<T*>(p);
    const cudaError_t status = cudaEventCreateWithFlags(&copied_.event, cudaEventDisableTiming);
    if (status != cudaSuccess) cudaFreeHost(value_);
    check_cuda(status, "making an event");
  }
  ~PinnedValue() { cudaFreeHost(value_); }
  PinnedValue(const PinnedValue&) = delete;
  PinnedValue& operator=(const PinnedValue&) = delete;

  // Puts a copy of a value in the GPU's memory on the stream.
  void copy_from(Cuda& exec, const T* from) {
    check_cuda(cudaMemcpyAsync(value_, from, sizeof(T), cudaMemcpyDeviceToHost, exec.stream()),
               "download");
    check_cuda(cudaEventRecord(copied_.event, exec.stream()), "download");
  }
  // Waits for the copy alone, not for what was put on the stream behind it.
  const T& wait() const {
    check_cuda(cudaEventSynchronize(copied_.event), "waiting for the GPU");
    return *value_;
  }
  // Once the stream has come there.
  const T& operator*() const { return *value_; }

 private:
  T* value_ = nullptr;
  EventHandle copied_;
};

}  // namespace haloscope::compute
