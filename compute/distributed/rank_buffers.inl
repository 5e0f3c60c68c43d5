#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"

#include <thrust/copy.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Arrays of executors from all ranks, for either executor.
namespace haloscope::compute::distributed {

// The elements of all ranks, in their order, on the executor of each. All ranks call it.
template <class T, class Exec>
Buffer<T, Exec> all_gather(Exec& exec, Ranks& ranks, DeviceRanks& wire, const Buffer<T, Exec>& own,
                           const char* name) {
  const std::uint64_t count = own.size();
  const auto counts = ranks.all_gather<std::uint64_t>(std::span(&count, 1));
  std::size_t total = 0;
  for (const std::uint64_t one : counts) total += std::size_t(one);
  Buffer<T, Exec> all(exec, total, name);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  T* to = all.data();
  for (int r = 0; r < ranks.size(); ++r) {
    const auto theirs = std::size_t(counts[std::size_t(r)]);
    if (r == ranks.rank()) {
      if (count > 0) thrust::copy_n(exec.policy(), own.data(), theirs, to);
    } else {
      out.push_back({r, own.data(), count * sizeof(T)});
      in.push_back({r, to, theirs * sizeof(T)});
    }
    to += theirs;
  }
  exec.synchronize();
  if (ranks.size() > 1) wire.move(out, in);
  return all;
}

}  // namespace haloscope::compute::distributed
