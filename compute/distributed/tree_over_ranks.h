#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>

namespace haloscope::compute::distributed {

struct PartOfPoints;

// What went from rank to rank, for those who measure; of all ranks together.
struct TreeOverRanksWork {
  std::uint64_t core_questions = 0;  // points that asked another rank for their core distance
  std::uint64_t edge_questions = 0;  // and for edges
  std::uint64_t fragments = 0;       // that the ranks' own trees fell into before the rounds
  int rounds = 0;
  std::uint64_t bytes = 0;         // to other ranks, until each has its edges of the tree
  std::uint64_t device_bytes = 0;  // the most that one rank's GPU held at once; 0: on processors
};

// Points of a rank whose questions are under way: each takes some 120 bytes for each rank that it
// asks, and 16 for each sample.
inline constexpr std::uint64_t kAskedAtOnce = std::uint64_t(1) << 20;

// Makes the minimum spanning tree of points over ranks, each on its device; all ranks call it. Rank
// 0 has the points, and gets the tree: the edges, weights and core distances of one rank's
// (cluster_tree.h). The others pass null, and get a tree of no points; settings are those of rank
// 0. Adds the time of its phases to `timings`. Throws Error as ClusterTree::grow() does, and for a
// tree of a graph of neighbors. Throws Cancelled.
//
// Each rank has a stretch of Hilbert's curve. It makes the tree of its own points, under core
// distances among all: of two points of one rank no other edge is in the whole tree, by the cut
// property. Edges of it that are shorter than all ways to other ranks from either side are in the
// whole tree, and what they join is a fragment. Then Borůvka's rounds over fragments: points that
// may have a first edge to another rank ask that rank for it.
clusters::SpanningTree span_over_ranks(Ranks& ranks, const clusters::LatticePoints* points,
                                       const clusters::SpanningTreeSettings& settings,
                                       Device device, Progress& progress, Timings& timings,
                                       TreeOverRanksWork* work = nullptr,
                                       std::uint64_t asked_at_once = kAskedAtOnce);

// The same step by step, for points of which each rank has its part already.
class TreeOverRanks {
 public:
  // Puts the part onto the device; it is not read any more afterwards. All others outlive this.
  TreeOverRanks(Ranks& ranks, const PartOfPoints& part, int min_samples, Device device,
                Progress& progress, Timings& timings, std::uint64_t asked_at_once = kAskedAtOnce);
  ~TreeOverRanks();
  // Each rank has its edges of the tree afterwards. All ranks call it.
  void make();
  // On rank 0 the whole tree. All ranks call it.
  clusters::SpanningTree collect();
  // Of all ranks, which all call it.
  TreeOverRanksWork work() const;

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace haloscope::compute::distributed
