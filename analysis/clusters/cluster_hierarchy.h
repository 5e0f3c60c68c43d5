#pragma once

#include "compute/clusters/cluster_sizes.h"
#include "compute/clusters/condensed_tree.h"
#include "compute/clusters/spanning_tree.h"
#include "compute/hierarchy/dendrogram.h"
#include "compute/hierarchy/linkage.h"
#include "core/timings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// The clusters of one least size, of several that were tried.
struct SizeResolution {
  double size = 0;                     // the least size
  compute::clusters::SizeRange range;  // all least sizes that have the same clusters
  std::uint64_t clusters = 0;
};

// The merges of points at all heights. Points are numbered from 0: rows of a table, or particles of
// a snapshot type after type, without those that were left out while reading.
struct ClusterHierarchy {
  // World length of a step of the lattice that the points lie in; 0: they lie in none, and the tree
  // has no squared weights.
  double step = 0;
  std::string length_unit;  // empty: not known
  std::string numbering;    // which point has which number, a sentence
  compute::clusters::SpanningTree tree;
  compute::hierarchy::Dendrogram dendrogram;
  // Of cuSLINK: neighbors of each point in its graph, and trees that this falls into. 0: the tree
  // is the exact one.
  std::uint32_t graph_neighbors = 0;
  std::uint64_t graph_trees = 0;
  std::vector<double> height;  // of each edge of the tree, world lengths
  // Of HDBSCAN*'s own clusters.
  std::optional<compute::clusters::CondensedTree> condensed;
  // Where the least size was chosen: all ranges of sizes, none where nothing splits, and the best
  // ones that were asked for, that of the condensed tree first.
  std::vector<compute::clusters::SizeRange> size_ranges;
  std::vector<SizeResolution> resolutions;

  Timings timings;
  std::uint64_t peak_device_memory = 0;  // bytes

  std::uint64_t bytes() const;  // of memory, about
};

// SciPy's linkage matrix Z, whose heights are those of the hierarchy.
std::vector<compute::hierarchy::LinkageRow> linkage_of(const ClusterHierarchy& hierarchy);

// The condensed tree as rows of clusters and points that leave their parents: the table of the
// reference implementation of HDBSCAN*. Clusters are numbered behind the points, the root first.
struct CondensedRows {
  std::vector<std::int64_t> parent, child;
  std::vector<double> lambda;  // one over the height, infinite at height 0
  std::vector<std::int64_t> size;
  std::vector<double> weight;  // empty: points have none
};
CondensedRows condensed_rows(const compute::clusters::CondensedTree& tree);

}  // namespace haloscope::analysis
