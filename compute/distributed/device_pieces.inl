#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Lists on the devices of ranks, for either executor.
namespace haloscope::compute::distributed {

// Those of `count` numbers from an iterator that are to be kept, in their order.
template <class Exec, class First, class Keep>
Buffer<std::uint32_t, Exec> choose_from(Exec& exec, First first, std::size_t count,
                                        const Keep& keep) {
  if (count == 0) return {};
  Buffer<std::uint32_t, Exec> all(exec, count, "chosen numbers");
  const auto* const end = thrust::copy_if(exec.policy(), first, first + count, all.data(), keep);
  Buffer<std::uint32_t, Exec> some(exec, std::size_t(end - all.data()), "chosen numbers");
  thrust::copy_n(exec.policy(), all.data(), some.size(), some.data());
  return some;
}
// Those of the first `count` numbers that are to be kept.
template <class Exec, class Keep>
Buffer<std::uint32_t, Exec> choose_numbers(Exec& exec, std::uint32_t count, const Keep& keep) {
  return choose_from(exec, thrust::counting_iterator<std::uint32_t>(0), count, keep);
}
template <class Exec, class Keep>
Buffer<std::uint32_t, Exec> choose_among(Exec& exec, const Buffer<std::uint32_t, Exec>& numbers,
                                         const Keep& keep) {
  return choose_from(exec, numbers.data(), numbers.size(), keep);
}

// Brings elements from device to device. All ranks call the same functions together.
template <class Exec>
class DevicePieces {
 public:
  DevicePieces(Exec& exec, Ranks& ranks, DeviceRanks& wire)
      : exec_(exec), ranks_(ranks), wire_(wire) {}

  // Runs of elements, one rank's behind the other's; returns what came from all ranks, in their
  // order, and in `received` how many from each.
  template <class T>
  Buffer<T, Exec> exchange(const Buffer<T, Exec>& send, const std::vector<std::uint64_t>& counts,
                           std::vector<std::uint64_t>& received) {
    const std::vector<std::uint64_t> one_each(counts.size(), 1);
    std::vector<std::uint64_t> unused;
    received = ranks_.exchange<std::uint64_t>(counts, one_each, unused);
    std::uint64_t total = 0;
    for (const std::uint64_t count : received) total += count;
    auto all = Buffer<T, Exec>(exec_, std::size_t(total), "pieces of ranks");
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    const T* from = send.data();
    T* to = all.data();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (int(r) != ranks_.rank()) {
        out.push_back({int(r), from, counts[r] * sizeof(T)});
        in.push_back({int(r), to, received[r] * sizeof(T)});
      }
      from += counts[r];
      to += received[r];
    }
    exec_.synchronize();
    wire_.move(out, in);
    return all;
  }

  // The same elements to all; returns those of all ranks, with this one's.
  template <class T>
  Buffer<T, Exec> gather_all(const T* own, std::size_t size, std::vector<std::uint64_t>& counts) {
    const std::uint64_t number = size;
    counts = ranks_.all_gather<std::uint64_t>(std::span(&number, 1));
    return gather_all(own, counts);
  }
  // Where all know how many there are from each.
  template <class T>
  Buffer<T, Exec> gather_all(const T* own, const std::vector<std::uint64_t>& counts) {
    const auto size = std::size_t(counts[std::size_t(ranks_.rank())]);
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts) total += count;
    auto all = Buffer<T, Exec>(exec_, std::size_t(total), "pieces of ranks");
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    T* to = all.data();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (int(r) != ranks_.rank()) {
        out.push_back({int(r), own, size * sizeof(T)});
        in.push_back({int(r), to, counts[r] * sizeof(T)});
      } else {
        thrust::copy_n(exec_.policy(), own, size, to);
      }
      to += counts[r];
    }
    exec_.synchronize();
    wire_.move(out, in);
    return all;
  }

 private:
  Exec& exec_;
  Ranks& ranks_;
  DeviceRanks& wire_;
};

}  // namespace haloscope::compute::distributed
