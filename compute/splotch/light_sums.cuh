#pragma once

#include "compute/splotch/touched_tiles.cuh"

namespace haloscope::compute::splotch {

// Sums about how much light falls into each tile, from one splat in `sample`, a power of two: of
// each so many that are told by one number one, not always the same.
struct LightSums {
  float* of_tile;  // null: none is summed
  unsigned sample;

  __device__ unsigned chosen(unsigned number) const {
    return number * 2654435769u >> 16 & (sample - 1);
  }
  template <class S>
  __device__ void add(const TilingStack& stack, const S& splat, const FewTiles& few) const {
    const float light = float(sample) * light_of(stack, unpacked(splat));
#pragma unroll
    for (int k = 0; k < kFewTiles; ++k)
      if (few.touched[k]) atomicAdd(&of_tile[few.tile(k)], light);
  }
  template <class S>
  __device__ void add(const TilingStack& stack, const S& splat, const Touched& touched) const {
    add(stack, splat, touched.few);
    const Span& span = touched.span;
    const float light = float(sample) * light_of(stack, unpacked(splat));
    for (int ty = span.y0; ty <= span.y1; ++ty)
      for (int tx = span.x0; tx <= span.x1; ++tx)
        if (span.beside(tx) + span.above(ty) <= span.r2)
          atomicAdd(&of_tile[span.tile(tx, ty)], light);
  }

 private:
  // Emission of a splat's brightest channel, in its level; below 0 where a channel is.
  __device__ static float light_of(const TilingStack& stack, WideSplat s) {
    const int k = stack.level_of(s.radius);
    if (k > 0) s = on_level(s, k);
    const float light = brightest_channel(s.emission);
    return s.emission[0] < 0 || s.emission[1] < 0 || s.emission[2] < 0 ? -light : light;
  }
};

}  // namespace haloscope::compute::splotch
