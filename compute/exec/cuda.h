#pragma once

// The CUDA executor. Only .cu files include this.

#include "compute/exec/device.h"
#include "compute/exec/named_range.h"
#include "core/error.h"

#include <cuda_runtime.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace haloscope::compute {

// Throws Error with the driver's own words, what was being done, and what can be done about it.
void check_cuda(cudaError_t status, const char* doing);

// Device memory and launches on one stream of one GPU; a SideStream is a second one for kernels.
// Memory comes from the stream-ordered pool, which keeps what it once had, so that frames after the
// first allocate at no cost.
//
// CUDA remembers for each thread which GPU it works on, and a thread that never said it works on
// the first. An executor may be used on any thread, one at a time, and by threads that use others
// in between: everything below makes its own GPU the thread's, stream() and policy() too, so that
// launches need not. deallocate() may be called on any thread at any time. Who calls the CUDA
// runtime by itself begins with make_current().
class Cuda {
 public:
  static constexpr bool is_cuda = true;

  explicit Cuda(Device device);
  ~Cuda();
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;

  // Thrust's temporary storage comes from the same pool.
  struct TemporaryAllocator {
    using value_type = char;
    Cuda* exec;
    char* allocate(std::ptrdiff_t bytes) {
      return static_cast<char*>(exec->allocate(std::size_t(bytes), "sorting"));
    }
    void deallocate(char* p, std::size_t) { exec->deallocate(p); }
  };
  auto policy() { return thrust::cuda::par_nosync(temporary_).on(stream()); }

  Device device() const { return device_; }
  // Makes its GPU the one that this thread works on.
  void make_current() const;

  void* allocate(std::size_t bytes, const char* name);
  void deallocate(void* p) noexcept;
  void upload(void* to, const void* from, std::size_t bytes);
  void download(void* to, const void* from, std::size_t bytes);  // waits
  void zero(void* p, std::size_t bytes);
  void synchronize();

  cudaStream_t stream() const {
    make_current();
    return current_;
  }
  int multiprocessors() const { return multiprocessors_; }
  // Most shared memory that one block may have, bytes.
  std::size_t block_shared_memory() const { return block_shared_memory_; }
  // As the driver says; of other GPUs than the first with the word for it: "… (cuda:1)".
  std::string device_name() const { return device_name_; }
  std::uint64_t free_memory() const;
  // The most bytes that this process held at once in the device's memory pool.
  std::uint64_t peak_memory() const;

 private:
  friend class SideStream;
  // Where launches go from now on; returns where they went.
  cudaStream_t exchange_stream(cudaStream_t stream) { return std::exchange(current_, stream); }

  Device device_;
  cudaStream_t stream_ = nullptr;   // of the executor's memory
  cudaStream_t current_ = nullptr;  // of launches: the same, but for work of a SideStream
  TemporaryAllocator temporary_{this};
  int multiprocessors_ = 1;
  std::size_t block_shared_memory_ = 0;
  std::string device_name_;
};

template <class F>
__global__ void for_each_kernel(std::size_t n, F f) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

// Calls f(i) for i in [0, n), one thread each; `name` appears in error messages and in Nsight.
template <class F>
void parallel_for(Cuda& exec, const char* name, std::size_t n, const F& f) {
  if (n == 0) return;
  const NamedRange range(name);
  constexpr unsigned kBlock = 256;
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  for_each_kernel<<<unsigned(blocks < 1u << 30 ? blocks : 1u << 30), kBlock, 0, exec.stream()>>>(n,
                                                                                                 f);
  check_cuda(cudaGetLastError(), name);
}

}  // namespace haloscope::compute
