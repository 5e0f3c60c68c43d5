#include "compute/exec/cpu.h"
#include "compute/exec/sort.h"

#include <thrust/sort.h>

namespace haloscope::compute {

namespace {

template <class Key>
void sort(Cpu& exec, Buffer<Key, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values) {
  if (keys.empty()) return;  // Thrust's sort of nothing does arithmetic on null pointers
  thrust::stable_sort_by_key(exec.policy(), keys.begin(), keys.end(), values.begin());
}

}  // namespace

void sort_pairs(Cpu& exec, Buffer<std::uint64_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int /*bits*/) {
  sort(exec, keys, values);
}

void sort_pairs(Cpu& exec, Buffer<std::uint32_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int /*bits*/) {
  sort(exec, keys, values);
}

}  // namespace haloscope::compute
