#pragma once

#include "compute/splotch/wide_splat.cuh"

// Lists of splats to which all warps of a kernel append.
namespace haloscope::compute::splotch {

// A warp's place in a list: it takes kPlaces at a time, so that the counter that all warps share is
// seldom asked. Places left over at the end are filled with splats that touch no pixel.
class ListWriter {
 public:
  static constexpr unsigned kPlaces = 128;

  // Called by all lanes; `mine` says whether this one has a splat to append.
  __device__ void append(bool mine, const Splat& s, const SplatList& list, unsigned* count) {
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mask == 0) return;
    const unsigned lane = threadIdx.x % 32, n = unsigned(__popc(mask));
    const unsigned rank = unsigned(__popc(mask & ((1u << lane) - 1)));
    unsigned at = next_ + rank;
    if (n > left_) {
      unsigned base = 0;
      if (lane == 0) base = atomicAdd(count, kPlaces);
      // The first splats fill up the old places.
      next_ = __shfl_sync(~0u, base, 0) - left_;
      if (rank >= left_) at = next_ + rank;
      left_ += kPlaces;
    }
    next_ += n;
    left_ -= n;
    if (mine && at < list.capacity) put(at, s, list);
  }

  __device__ void finish(const SplatList& list) {
    for (unsigned k = threadIdx.x % 32; k < left_ && next_ + k < list.capacity; k += 32) {
      if (list.packed)
        static_cast<PackedSplat*>(list.splats)[next_ + k] = packed_nothing();
      else
        static_cast<WideSplat*>(list.splats)[next_ + k] = {-1000, -1000, 0, 0, 0, {0, 0, 0}};
    }
    left_ = 0;
  }

 private:
  __device__ static void put(unsigned at, const Splat& s, const SplatList& list) {
    if (list.packed)
      static_cast<PackedSplat*>(list.splats)[at] = pack(s);
    else
      static_cast<WideSplat*>(list.splats)[at] = {
          s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
  }

  unsigned next_ = 0, left_ = 0;  // the same in each lane
};

// Raises the block's `widest`, in shared memory, to the radius of a splat that is `mine`, as the
// bits of a float. In shared memory it takes no register, of which the kernels have none to spare.
__device__ inline void note_radius(bool mine, float radius, unsigned& widest) {
  const unsigned bits = __float_as_uint(radius);
  // Most find that it is large enough.
  if (mine && bits > *static_cast<volatile unsigned*>(&widest)) atomicMax(&widest, bits);
}

}  // namespace haloscope::compute::splotch
