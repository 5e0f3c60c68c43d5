#pragma once

#include <cstdint>

// What the 32 threads of a warp find out together, all of them taking part. Chips before compute
// capability 8.0 exchange values in five steps.
namespace haloscope::compute {

template <class T, class Better>
__device__ inline T warp_best(T value, const Better& better) {
  for (int apart = 16; apart > 0; apart /= 2) {
    const T other = __shfl_xor_sync(~0u, value, apart);
    if (better(other, value)) value = other;
  }
  return value;
}

template <class T>
__device__ inline T warp_minimum(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  return warp_best(value, [](T a, T b) { return a < b; });
#endif
}

template <class T>
__device__ inline T warp_maximum(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  return warp_best(value, [](T a, T b) { return a > b; });
#endif
}

}  // namespace haloscope::compute
