#pragma once

// The fused pass of our own strategy on the GPU: cull by runs, project, classify, and draw small
// and medium particles in one reading of the data.

#include "compute/exec/buffer.h"
#include "compute/exec/cuda.h"
#include "compute/exec/side_stream.cuh"
#include "compute/splotch/layer.h"
#include "compute/splotch/levels.inl"
#include "compute/splotch/run.h"
#include "compute/splotch/run_order.h"
#include "compute/splotch/splat_bins.cuh"
#include "compute/splotch/wide_splat.cuh"

#include <functional>

namespace haloscope::compute::splotch {

// Groups of runs of one kind, or runs, and how many of them were taken: of GroupKind::Others beside
// the first one of each block.
struct ListCounts {
  unsigned int planned, taken;
};

// What the fused pass hands on; lives in device memory.
struct RunCounters {
  unsigned long long small, medium, large;
  double radius_sum;
  double updates;        // pixel updates of all splats
  double large_updates;  // pixel updates that the large splats need
  ListCounts groups[3];  // by GroupKind
  ListCounts sparse;     // runs
  unsigned int wide;     // splats for the tile pass, also those beyond the list's capacity
  unsigned int large_listed;
  // Of the stored radii of all runs, as the bits of a float: the largest, and the smallest
  // inverted, so that both begin at 0.
  unsigned int most_radius, least_radius_inverted;
  // Largest radius of a splat in the lists, pixels, as the bits of a float.
  unsigned int widest;
};

struct RunGroup;  // run_groups.cuh

struct RunsTask {
  const Run* runs;
  unsigned int run_count;
  SplatList wide;    // for the tile pass
  SplatList large;   // of large splats where they are apart, else of those that cannot be packed
  bool large_apart;  // not where `wide` is packed
  float large_radius;
  bool lists_only;  // second pass after a list was too short: draw nothing again
  // Plain runs are drawn by draw_plain_runs(). Only with can_draw_plain(), has_plain_look(), and
  // not large_apart.
  bool plain_apart;
  int windowed_side;  // plain runs of larger boxes, in pixels along an axis, are sparse
  RunGroup* groups;   // bytes_of_groups()
  RunOrder order;
  SplatBins splat_bins;   // where narrow splats of sparse runs are put; empty to begin with
  RunCounters* counters;  // 0 to begin with
  float4* image;
};

// Bounding boxes of runs of kRun particles.
void make_runs(Cuda& exec, const Columns& columns, Run* runs);
inline Buffer<Run, Cuda> runs_of(Cuda& exec, const Columns& columns) {
  Buffer<Run, Cuda> runs(exec, (columns.count + kRun - 1) / kRun, "bounding boxes of runs");
  make_runs(exec, columns, runs.data());
  return runs;
}

// Whether a block of draw_runs fits this GPU: it asks for about 55 KB of shared memory.
bool can_draw_runs(const Cuda& exec);

// Bytes that RunsTask.groups takes for so many runs.
std::size_t bytes_of_groups(std::size_t run_count);

// Draws all but what it lists, and what it puts into bins, which draw_bins() draws. Calls `binned`
// once all that fills the bins is on the executor's stream.
template <Mode M>
void draw_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
               const RunsTask& task, SideStream& side, const std::function<void()>& binned);

}  // namespace haloscope::compute::splotch
