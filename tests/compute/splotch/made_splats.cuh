#pragma once

#include "compute/splotch/wide_splat.cuh"

#include <cmath>
#include <random>
#include <vector>

// Wide splats for tests of their lists.
namespace haloscope::test {

using compute::splotch::PackedSplat;
using compute::splotch::Splat;
using compute::splotch::WideSplat;

// Most in a clump, so that few tiles have most of them; some beyond each edge of the picture, some
// on levels, and some places that a warp left over.
inline std::vector<Splat> made_splats(unsigned count, int width, int height) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::normal_distribution<float> normal;
  std::vector<Splat> out;
  for (unsigned k = 0; k < count; ++k) {
    const bool clump = k % 3 != 0;
    const float x = clump ? 170 + 20 * normal(random) : float(width + 20) * uniform(random) - 10;
    const float y = clump ? 190 + 20 * normal(random) : float(height + 20) * uniform(random) - 10;
    const float radius = k % 1000 == 0  ? 0.f
                         : k % 100 == 0 ? 150 * uniform(random) + 3
                                        : 3 + 9 * uniform(random);
    const int ix = int(std::floor(x)), iy = int(std::floor(y));
    const float light = uniform(random);
    out.push_back({ix, iy, x - float(ix), y - float(iy), radius, {light, light / 2, light / 4}, 0});
  }
  return out;
}

__device__ inline WideSplat to_stored(const Splat& s, const WideSplat&) {
  return {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
}
__device__ inline PackedSplat to_stored(const Splat& s, const PackedSplat&) {
  return compute::splotch::pack(s);
}
__device__ inline WideSplat left_over(const WideSplat&) {
  return {-1000, -1000, 0, 0, 0, {0, 0, 0}};
}
__device__ inline PackedSplat left_over(const PackedSplat&) {
  return compute::splotch::packed_nothing();
}

// Stores splats, and sets them to what is stored, which may be rounded.
template <class S>
__global__ void store_splats(Splat* splats, unsigned count, S* to) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  Splat& s = splats[k];
  to[k] = s.radius > 0 ? to_stored(s, to[k]) : left_over(to[k]);
  if (!(s.radius > 0)) return;
  const WideSplat u = unpacked(to[k]);
  s = {u.ix, u.iy, u.fx, u.fy, u.radius, {u.emission[0], u.emission[1], u.emission[2]}, 0};
}

}  // namespace haloscope::test
