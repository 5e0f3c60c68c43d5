#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/stream_handles.cuh"

#include <type_traits>

namespace haloscope::compute {

// A value in host memory that a GPU's kernels write, so that the host need not wait for all that is
// on the stream to read it.
template <class T>
class PinnedValue {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit PinnedValue(Cuda& exec) {
    stream_ = exec.stream();
    void* p = nullptr;
    check_cuda(cudaHostAlloc(&p, sizeof(T), cudaHostAllocPortable | cudaHostAllocMapped),
               "pinning memory");
    value_ = static_cast<T*>(p);
    cudaError_t status = cudaHostGetDevicePointer(&p, value_, 0);
    on_device_ = static_cast<T*>(p);
    if (status == cudaSuccess)
      status = cudaEventCreateWithFlags(&written_.event, cudaEventDisableTiming);
    if (status != cudaSuccess) cudaFreeHost(value_);
    check_cuda(status, "pinning memory");
  }
  ~PinnedValue() {
    // An error may have left a kernel that is still to write it.
    (void)cudaStreamSynchronize(stream_);
    cudaFreeHost(value_);
  }
  PinnedValue(const PinnedValue&) = delete;
  PinnedValue& operator=(const PinnedValue&) = delete;

  // Where kernels write it. It crosses to the host word by word: no place for what many read.
  T* on_device() const { return on_device_; }
  // Marks that what is on the stream by now writes it.
  void mark_written(Cuda& exec) {
    check_cuda(cudaEventRecord(written_.event, exec.stream()), "download");
  }
  // Waits for that, not for what was put on the stream behind it.
  const T& wait() const {
    check_cuda(cudaEventSynchronize(written_.event), "waiting for the GPU");
    return *value_;
  }

 private:
  cudaStream_t stream_ = nullptr;
  T* value_ = nullptr;
  T* on_device_ = nullptr;
  EventHandle written_;
};

}  // namespace haloscope::compute
