#pragma once

#include "compute/exec/buffer.h"

#ifdef __CUDACC__
#include "compute/exec/cuda.h"

#include <cub/device/device_select.cuh>
#else
#include "compute/exec/cpu.h"

#include <thrust/copy.h>
#endif

#include <cstdint>

// Selections whose size stays on the executor: on a GPU the host need not wait for each of them.
namespace haloscope::compute {

// Copies those of `count` elements from `first` on that `keep` keeps, in order; `selected` tells
// how many. `name` appears in error messages.
#ifdef __CUDACC__
template <class From, class Keep>
void select_if(Cuda& exec, const char* name, From first, std::uint32_t count, std::uint32_t* to,
               std::uint32_t* selected, const Keep& keep) {
  if (count == 0) return exec.zero(selected, sizeof(*selected));
  std::size_t bytes = 0;
  check_cuda(cub::DeviceSelect::If(nullptr, bytes, first, to, selected, std::int64_t(count), keep,
                                   exec.stream()),
             name);
  Buffer<char, Cuda> storage(exec, bytes, name);
  check_cuda(cub::DeviceSelect::If(storage.data(), bytes, first, to, selected, std::int64_t(count),
                                   keep, exec.stream()),
             name);
}
#else
template <class From, class Keep>
void select_if(Cpu& exec, const char*, From first, std::uint32_t count, std::uint32_t* to,
               std::uint32_t* selected, const Keep& keep) {
  *selected = std::uint32_t(thrust::copy_if(exec.policy(), first, first + count, to, keep) - to);
}
#endif

}  // namespace haloscope::compute
