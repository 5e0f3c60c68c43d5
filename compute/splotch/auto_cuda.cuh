#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/pinned_value.cuh"
#include "compute/splotch/large_share.h"
#include "compute/splotch/levels.inl"
#include "compute/splotch/runs_cuda.cuh"
#include "compute/splotch/wide_drawing.cuh"
#include "compute/splotch/work_timer.h"
#include "core/timings.h"

#include <memory>
#include <vector>

namespace haloscope::compute::splotch {

// Our own strategy on the GPU: one fused pass draws small and medium splats in a moving window of
// shared memory; wider ones are listed by tile and drawn in registers; the largest may be shared
// with the CPU. Keeps its lists, the room that lists of tiles needed, and its measured throughputs
// between frames.
class AutoCuda {
 public:
  explicit AutoCuda(Cuda& exec);
  ~AutoCuda();

  // Takes less memory from now on, where some pictures take longer for it.
  void save_memory() { splat_bins_.save(); }

  // Adds one layer, whose runs are given, to the image. `host_image` (RGBA) gets the CPU's share;
  // it is allocated when first needed. With `levels` wide splats are added there, and the CPU has
  // no share: no splat takes long. Times that the GPU tells come by `later`.
  template <Mode M>
  void draw(const Layer& layer, const Run* runs, const Projector<Real<M>>& projector,
            const Options& options, float* image, std::vector<float>& host_image,
            Levels<Cuda>* levels, Counts& counts, Timings& timings, LaterTimes& later);

 private:
  Cuda& exec_;
  BinMemory splat_bins_;
  SideStream side_;
  Buffer<RunCounters, Cuda> counters_;
  PinnedValue<RunCounters> counted_;
  Buffer<unsigned char, Cuda> groups_;
  Buffer<unsigned, Cuda> order_, order_bins_;
  Buffer<RunOrder::Place, Cuda> places_;
  Buffer<PackedSplat, Cuda> wide_;  // or WideSplat, two words each
  Buffer<WideSplat, Cuda> large_;
  WideDrawing medium_drawing_, large_drawing_;
  LargeShare share_;
  bool counters_are_zero_ = false;
  struct Timers;
  std::vector<std::shared_ptr<Timers>> timers_;  // of this frame, and those that are free
  std::shared_ptr<Timers> free_timers();
};

}  // namespace haloscope::compute::splotch
