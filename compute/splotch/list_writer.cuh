#pragma once

#include "compute/splotch/runs_cuda.cuh"
#include "compute/splotch/splat.h"

// Lists of splats to which all warps of a kernel append.
namespace haloscope::compute::splotch {

// A warp's place in a list: it takes kPlaces at a time, so that the counter that all warps share is
// seldom asked. Places left over at the end are filled with splats that touch no pixel.
class ListWriter {
 public:
  static constexpr unsigned kPlaces = 128;

  // Called by all lanes; `mine` says whether this one has a splat to append.
  __device__ void append(bool mine, const Splat& s, WideSplat* list, unsigned capacity,
                         unsigned* count) {
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
    put(mine && at < capacity ? at : kNowhere, s, list);
  }

  __device__ void finish(WideSplat* list, unsigned capacity) {
    Splat nothing{};
    nothing.ix = nothing.iy = -1000;
    for (unsigned first = 0; first < left_; first += 32) {
      const unsigned k = first + threadIdx.x % 32;
      put(k < left_ && next_ + k < capacity ? next_ + k : kNowhere, nothing, list);
    }
    left_ = 0;
  }

 private:
  static constexpr unsigned kNowhere = ~0u;

  __device__ static void put(unsigned at, const Splat& s, WideSplat* list) {
    if (at != kNowhere)
      list[at] = {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
  }

  unsigned next_ = 0, left_ = 0;  // the same in each lane
};

}  // namespace haloscope::compute::splotch
