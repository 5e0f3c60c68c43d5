#include "compute/exec/cuda.h"
#include "compute/exec/sort.h"

#include <cub/device/device_radix_sort.cuh>

#include <utility>

namespace haloscope::compute {

namespace {

template <class Key>
void sort_by_digits(Cuda& exec, Buffer<Key, Cuda>& keys, Buffer<std::uint32_t, Cuda>& values,
                    int bits, int first_bit = 0) {
  const std::size_t count = keys.size();
  if (count == 0) return;
  const NamedRange range("sorting");
  Buffer<Key, Cuda> other_keys(exec, count, "sorting");
  Buffer<std::uint32_t, Cuda> other_values(exec, count, "sorting");
  cub::DoubleBuffer<Key> key_pair(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> value_pair(values.data(), other_values.data());
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    check_cuda(cub::DeviceRadixSort::SortPairs(scratch, bytes, key_pair, value_pair, count,
                                               first_bit, bits, exec.stream()),
               "sorting");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Buffer<char, Cuda> scratch(exec, bytes, "sorting");
  sort(scratch.data(), bytes);
  if (key_pair.Current() != keys.data()) std::swap(keys, other_keys);
  if (value_pair.Current() != values.data()) std::swap(values, other_values);
}

}  // namespace

void sort_pairs(Cuda& exec, Buffer<std::uint64_t, Cuda>& keys, Buffer<std::uint32_t, Cuda>& values,
                int bits, int first_bit) {
  sort_by_digits(exec, keys, values, bits, first_bit);
}

void sort_pairs(Cuda& exec, Buffer<std::uint32_t, Cuda>& keys, Buffer<std::uint32_t, Cuda>& values,
                int bits) {
  sort_by_digits(exec, keys, values, bits);
}

}  // namespace haloscope::compute
