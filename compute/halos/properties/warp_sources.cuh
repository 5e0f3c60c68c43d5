#pragma once

#include "compute/gravity/attraction.h"
#include "core/host_device.h"

#include <cstdint>
#include <cstring>

// What the kernels of the search for most bound members share: candidates, greatest numbers that
// threads find together, and sources that a warp has side by side.
namespace haloscope::compute::halos {

// Of floats that are no NaN, whatever their signs. `at` holds a number before.
__device__ inline void raise(float* at, float value) {
  if (value >= 0)
    atomicMax(reinterpret_cast<int*>(at), __float_as_int(value));
  else
    atomicMin(reinterpret_cast<unsigned*>(at), __float_as_uint(value));
}

// Floats in an order that integers have.
HALOSCOPE_HD inline std::uint32_t ordered(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ inline double warp_sum(double value) {
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
  return value;
}

// A candidate, and what ties are told by.
struct FoundCandidate {
  std::uint32_t halo, member;
  std::uint32_t p[3];
  float mass;
  std::uint64_t source;
};

constexpr unsigned kWarpsOfBlock = 4, kStaged = 128;

// Sources that a warp has in shared memory, which all of its threads are attracted by.
template <int kMost>
struct WarpSources {
  std::uint32_t x[kMost], y[kMost], z[kMost];
  float mass[kMost];

  __device__ void put(unsigned to, std::uint32_t px, std::uint32_t py, std::uint32_t pz, float m) {
    x[to] = px;
    y[to] = py;
    z[to] = pz;
    mass[to] = m;
  }
  // By all threads of the warp; those that take part have a target.
  __device__ void attract(unsigned count, const std::uint32_t (&target)[3], bool takes_part,
                          gravity::Softening softening, double& depth) {
    constexpr unsigned kMultiple = gravity::SourceView::kMultiple;
    const unsigned lane = threadIdx.x % 32,
                   filled = (count + kMultiple - 1) / kMultiple * kMultiple;
    if (lane < filled - count) put(count + lane, 0, 0, 0, 0);
    __syncwarp();
    if (takes_part)
      gravity::attract_plainly({x, y, z, mass}, filled,
                               {&target[0], &target[1], &target[2], nullptr}, 1, softening, &depth);
    __syncwarp();
  }
};

}  // namespace haloscope::compute::halos
