#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Minimum spanning trees of points.
namespace haloscope::compute::clusters {

// Points in a lattice: a column per dimension. A lattice of three dimensions or fewer may be
// periodic, its side being 2³² steps. In others no two points differ by 2³¹ steps in an axis, and
// in more than four dimensions by 2³⁰.
struct LatticePoints {
  static constexpr std::size_t kMostDimensions = 8;
  std::vector<const std::uint32_t*> column;
  std::uint64_t count = 0;
  // Positions of a periodic box and up to three further columns: the lowest `shift` bits of the
  // first three are zeros, and their differences, modulo 2³², are divided by 2^shift. So the side
  // is 2^(32 − shift) steps. 0: all columns have the same steps.
  std::uint32_t shift = 0;
  static constexpr std::uint32_t kLeastShift = 2, kMostShift = 24;
};

struct SpanningTreeSettings {
  // Neighbors that a core point has, itself included. 1: the tree is of distances. Otherwise it is
  // of mutual reachability: the distance, but at least the core distance of either end, which is
  // the one to its (min_samples − 1)-th nearest other point (Campello et al. 2013).
  int min_samples = 1;
  static constexpr int kMostSamples = 65;
  // 0: the tree is minimal. Otherwise it is cuSLINK's (cuslink.h): the minimum spanning forest of
  // the graph of so many neighbors, whose trees then take the shortest edges that leave them; for
  // points of up to kMostGraphDimensions.
  int graph_neighbors = 0;
  static constexpr int kMostGraphNeighbors = 80, kMostGraphDimensions = 3;
};

// Edges in the order (weight, smaller row, larger row), which makes the tree unique.
struct SpanningTree {
  std::uint32_t points = 0;
  std::vector<std::uint32_t> a, b;            // rows, the smaller one first
  std::vector<std::uint64_t> squared_weight;  // in lattice steps, exact
  std::vector<std::uint64_t> squared_core;    // of each row; empty where min_samples is 1
};

// What a search did, for those who measure.
struct SpanningTreeWork {
  struct Round {
    std::uint64_t components = 0;
    std::uint64_t searched = 0;  // points that a search in the tree was needed for
    double candidates = 0, bounds = 0, searches = 0, joining = 0;  // milliseconds
  };
  std::vector<Round> rounds;
  std::uint64_t graph_trees = 0;  // that cuSLINK's graph falls into; 0: it was not asked for
};

}  // namespace haloscope::compute::clusters
