#pragma once

#include "analysis/clusters/live_cuts.h"
#include "analysis/file_rows.h"
#include "compute/clusters/condensed_tree.h"
#include "compute/clusters/spanning_tree.h"
#include "compute/hierarchy/dendrogram.h"
#include "compute/hierarchy/linkage.h"
#include "core/timings.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Points of one type of particles, which stand side by side.
struct PointsOfType {
  int type = 0;
  std::string name;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> rejected_rows;  // of the file, ascending: they are no points
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
  std::vector<double> height;          // of each edge of the tree, world lengths
  std::vector<PointsOfType> types;     // of a snapshot
  std::optional<double> mean_spacing;  // of the points, world length; none: they have none
  // It is good enough for a mark: a cut that is given in it needs masses of other types too.
  bool spacing_is_rough = false;
  // Of points that have weights: these, in units of their mean, and the mean in the unit of what
  // was given. Empty and 0: they have none. Heights do not depend on them.
  std::vector<double> weight;
  double mean_weight = 0;

  // The same tree on the GPU that it was made on; null: it is only here.
  std::shared_ptr<LiveCuts> cuts;

  Timings timings;
  std::uint64_t peak_device_memory = 0;  // bytes

  std::uint64_t bytes() const;  // of memory, about
};

// A number per point as one per row of the file, by type; `missing` for rows that are no points.
// Nothing where there are no numbers.
template <class T>
std::map<int, std::vector<T>> rows_of_points(const ClusterHierarchy& hierarchy,
                                             const std::vector<T>& by_point, T missing) {
  std::map<int, std::vector<T>> rows;
  if (by_point.empty()) return rows;
  auto begin = by_point.begin();
  for (const PointsOfType& points : hierarchy.types) {
    const auto end = begin + std::ptrdiff_t(points.count);
    rows[points.type] = file_rows(std::vector<T>(begin, end), points.rejected_rows, missing);
    begin = end;
  }
  return rows;
}

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
