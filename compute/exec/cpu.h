#pragma once

#include "compute/exec/device.h"
#include "compute/exec/kept_blocks.h"
#include "compute/exec/named_range.h"
#include "core/error.h"
#include "core/progress.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <thrust/system/tbb/execution_policy.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace haloscope::compute {

// The CPU executor: Thrust's TBB system and plain host memory.
class Cpu {
 public:
  static constexpr bool is_cuda = false;

  Cpu() = default;
  explicit Cpu(Device) {}  // as the CUDA executor is made
  // Loops end with Cancelled between two stretches when somebody asks for it.
  explicit Cpu(const Progress& progress) : progress_(&progress) {}
  explicit Cpu(const Progress* progress) : progress_(progress) {}  // null: nobody asks

  auto policy() const { return thrust::tbb::par; }
  Device device() const { return Device::cpu(); }

  void* allocate(std::size_t bytes, const char* name) {
    void* const p = blocks_.take(bytes);
    if (!p)
      throw Error("out of memory for " + std::string(name) + " (" + std::to_string(bytes >> 20) +
                      " MiB asked)",
                  "host memory", "choose fewer particle types or a smaller image");
    return p;
  }
  void deallocate(void* p) noexcept { blocks_.give_back(p); }
  // See KeepFreedMemory.
  void keep_freed_memory(bool on) noexcept { blocks_.keep(on); }
  std::size_t kept_memory() const { return blocks_.kept_bytes(); }  // that nobody uses

  // Nothing may come from and go to nowhere: an empty vector's data() is null.
  void upload(void* to, const void* from, std::size_t bytes) {
    if (bytes) std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) {
    if (bytes) std::memcpy(to, from, bytes);
  }
  void zero(void* p, std::size_t bytes) {
    if (bytes) std::memset(p, 0, bytes);
  }
  void synchronize() {}
  void check_cancelled() const {
    if (progress_ && progress_->cancelled()) throw Cancelled();
  }

 private:
  KeptBlocks blocks_;
  const Progress* progress_ = nullptr;
};

// Calls f(i) for i in [0, n) on all cores. `name` shows up in Nsight. An f that reads all over the
// memory may have prefetch(i), which is called before f(i) and asks for what calls after it need.
template <class F>
void parallel_for(Cpu& exec, const char* name, std::size_t n, const F& f) {
  const NamedRange range(name);
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, n, 256),
                      [&exec, &f](const ::tbb::blocked_range<std::size_t>& some) {
                        exec.check_cancelled();
                        for (std::size_t i = some.begin(); i != some.end(); ++i) {
                          if constexpr (requires { f.prefetch(i); }) f.prefetch(i);
                          f(i);
                        }
                      });
}

}  // namespace haloscope::compute
