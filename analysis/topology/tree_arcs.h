#pragma once

#include "analysis/topology/grid_tree.h"

#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// Kinds of critical points as TTK numbers them.
enum class CriticalType : std::int8_t {
  LocalMinimum = 0,
  Saddle1 = 1,
  Saddle2 = 2,
  LocalMaximum = 3
};

// A merge tree as nodes and arcs between them.
struct TreeArcs {
  std::vector<std::uint64_t> vertex;    // of each node, a cell
  std::vector<std::int8_t> type;        // CriticalType
  std::vector<std::uint32_t> up, down;  // of each arc: the node of the higher value, of the lower
};

// Nodes are the maxima (of sublevels: minima), saddles, and where all cells are looked at the cell
// to which the sweep comes last. Arcs join those that follow each other on a branch.
TreeArcs arcs_of(const GridTree& tree);

// What saddles of such a tree are in TTK's words.
CriticalType saddle_type(const GridTree& tree);
CriticalType peak_type(const GridTree& tree);

}  // namespace haloscope::analysis
