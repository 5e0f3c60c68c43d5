#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/stream_handles.cuh"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace haloscope::compute {

// A second stream of an executor, for kernels that share the GPU with those on its own.
class SideStream {
 public:
  explicit SideStream(Cuda& exec);
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  // Work on the side, which waits for all that the executor's stream had when it began. What it
  // uses must stay until join(), which the destructor does where it was not done. One at a time.
  class Fork {
   public:
    explicit Fork(SideStream& side);
    ~Fork();
    Fork(const Fork&) = delete;
    Fork& operator=(const Fork&) = delete;

    // Puts on the side what f puts on the executor's stream. Memory must be neither taken nor given
    // back there.
    template <class F>
    void run(const F& f) {
      const Exchanged exchanged(side_);
      f();
    }
    // The executor's stream waits for all of it.
    void join();

   private:
    struct Exchanged {
      SideStream& side;
      cudaStream_t own;
      explicit Exchanged(SideStream& s) : side(s), own(s.exec_.exchange_stream(s.stream_.stream)) {}
      ~Exchanged() { side.exec_.exchange_stream(own); }
    };
    SideStream& side_;
    cudaStream_t own_;  // the executor's
    bool joined_ = false;
  };

 private:
  Cuda& exec_;
  StreamHandle stream_;
  EventHandle forked_, joined_;
};

// Lets a kernel's blocks have so much dynamic shared memory, and asks for the largest share of
// shared memory beside the L1 cache: kernels of two streams share a multiprocessor only where they
// ask for the same. Told to each GPU once.
template <auto kKernel>
void prefer_shared_memory(const Cuda& exec, std::size_t dynamic = 0) {
  static std::atomic<std::uint64_t> told{0};
  const std::uint64_t gpu = std::uint64_t(1) << (exec.device().number % 64);
  if (exec.device().number < 64 && (told.load(std::memory_order_relaxed) & gpu)) return;
  exec.make_current();
  const auto ask = [](cudaFuncAttribute attribute, int value) {
    check_cuda(cudaFuncSetAttribute(kKernel, attribute, value), "asking for shared memory");
  };
  if (dynamic > 0) ask(cudaFuncAttributeMaxDynamicSharedMemorySize, int(dynamic));
  ask(cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  told.fetch_or(gpu, std::memory_order_relaxed);
}

}  // namespace haloscope::compute
