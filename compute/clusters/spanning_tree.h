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
};

struct SpanningTreeSettings {
  // Neighbors that a core point has, itself included. 1: the tree is of distances. Otherwise it is
  // of mutual reachability: the distance, but at least the core distance of either end, which is
  // the one to its (min_samples − 1)-th nearest other point (Campello et al. 2013).
  int min_samples = 1;
  static constexpr int kMostSamples = 65;
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
};

}  // namespace haloscope::compute::clusters
