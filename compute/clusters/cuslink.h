#pragma once

#include "compute/brute_force/rows.h"
#include "compute/exec/device.h"
#include "compute/hierarchy/dendrogram.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <vector>

// Single linkage by a graph of nearest neighbors: cuSLINK (Nolet et al., ECML PKDD 2023).
namespace haloscope::compute::clusters {

inline constexpr std::uint32_t kMostCuslinkNeighbors = 512;

struct CuslinkSettings {
  // Of each point in the graph, itself not counted; 0: default_cuslink_neighbors().
  std::uint32_t neighbors = 0;
  // As SpanningTreeSettings has it: beyond 1 the tree is of mutual reachability.
  std::uint32_t min_samples = 1;
};

struct CuslinkTree {
  hierarchy::RankedForest edges;  // rows, the smaller one first
  std::vector<float> weight;      // of each edge, by rank
  std::vector<float> core;        // of each row its core distance; empty where min_samples is 1
  hierarchy::Dendrogram dendrogram;

  std::uint32_t neighbors = 0;      // of each point in the graph
  std::uint64_t graph_trees = 0;    // that the graph falls into
  std::uint32_t connections = 0;    // searches that it took to connect them
  std::uint64_t device_memory = 0;  // most bytes in the device's memory pool; 0 on the CPU
};

// ⌊log₂ n⌋ + 15, what the paper's authors choose, but fewer than there are points.
std::uint32_t default_cuslink_neighbors(std::uint64_t points);

// Throws Error unless so many points of so many dimensions can be linked.
void require_cuslink(std::uint64_t points, std::uint64_t dimensions,
                     const CuslinkSettings& settings);

// Makes a spanning tree of rows and its dendrogram on a device: the minimum spanning forest of the
// graph of each row's nearest neighbors, whose trees take the shortest edge to another tree until
// one is left. Compares all rows with all: takes time O(n² d), and O(n (d + k)) memory. Edges are
// ordered by (weight, smaller row, larger row), so that the tree depends on rows and settings
// alone, whatever the executor and its threads.
//
// The tree is not always minimal: two clusters that the graph joins by a long edge may have a
// shorter one between rows that have k nearer neighbors each. All of its edges are distances of
// rows, and no tree of the graph is joined by an edge longer than need be. Throws Error as
// require_cuslink() does and where memory runs out; Cancelled.
CuslinkTree make_cuslink_tree(Device device, const brute_force::Rows& rows,
                              const CuslinkSettings& settings, Progress& progress,
                              Timings* timings = nullptr);

CuslinkTree make_cpu_cuslink_tree(const brute_force::Rows& rows, const CuslinkSettings& settings,
                                  Progress& progress, Timings* timings);
CuslinkTree make_cuda_cuslink_tree(Device device, const brute_force::Rows& rows,
                                   const CuslinkSettings& settings, Progress& progress,
                                   Timings* timings);

}  // namespace haloscope::compute::clusters
