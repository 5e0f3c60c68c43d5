#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/exec/device.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// Searches among the points of one rank, its part, for points of all ranks, and the tree of them.
namespace haloscope::compute::distributed {

// Points of this rank, in the order of their rows among the points of all ranks.
struct PartOfPoints {
  std::vector<std::uint32_t> row;                  // among all, ascending
  std::vector<std::vector<std::uint32_t>> column;  // of the lattice
  std::uint32_t shift = 0;                         // LatticePoints

  std::uint32_t count() const { return std::uint32_t(row.size()); }
};

// A point that asks for what is near it on another rank.
struct PlaceQuery {
  std::uint32_t at[clusters::LatticePoints::kMostDimensions];
  std::uint32_t row;    // among all points
  std::uint32_t color;  // its component; points of the same one are passed over
  std::uint64_t core;   // squared core distance
  std::uint64_t limit;  // squared: nothing above it is asked for
};

// The first edge, in the order of weights and rows, from a point that asks to one of this rank.
struct EdgeToPart {
  std::uint64_t weight;  // squared
  std::uint64_t ends;    // rows, hierarchy::ends_key()
  std::uint32_t to;      // the point's component; hierarchy::kNone: there is no edge
  std::uint32_t unused = 0;
};

// An edge by its rows, as trees have it.
struct TreeEdge {
  std::uint64_t weight = ~std::uint64_t(0), ends = ~std::uint64_t(0);
  bool operator<(const TreeEdge& other) const {
    return weight != other.weight ? weight < other.weight : ends < other.ends;
  }
};

// One that may be in the tree, between fragments or components.
struct Link {
  TreeEdge edge;
  std::uint32_t from = ~std::uint32_t(0), to = ~std::uint32_t(0);
};

// Points that ask, and how far; by their places on the rank's curve.
struct AskingPoints {
  std::vector<std::uint32_t> place;
  std::vector<std::uint64_t> limit;  // squared
};

// What some of them ask of one rank.
struct PartQuestions {
  std::vector<PlaceQuery> queries;
  std::vector<std::uint32_t> from;  // of each, which of those points asks
};

// The interface for one executor and number of dimensions, in the order in which it is called.
// Squared distances are in lattice steps, exact; clusters::kFarAway stands for none. What there is
// for each point of the part stays on the executor.
class PartSearch {
 public:
  virtual ~PartSearch() = default;

  // The tree of boxes.
  virtual void place() = 0;
  // Boxes around the points of this part, as another rank's search takes them.
  virtual std::vector<std::uint32_t> outline() const = 0;
  // Those of all ranks; this one's is not looked at. Finds how far each point is from all others'
  // boxes, its way: no edge to another rank's point is shorter.
  virtual void set_outlines(int self, const std::vector<std::vector<std::uint32_t>>& of_ranks) = 0;

  // Core distances among the points here. Returns the points of which those among all may be less.
  virtual AskingPoints find_core() = 0;
  // For each of these points the `most` smallest squared distances to others here, ascending.
  virtual std::vector<std::uint64_t> nearest_here(const std::vector<std::uint32_t>& places,
                                                  int most) = 0;
  virtual void set_core(const std::vector<std::uint32_t>& places,
                        const std::vector<std::uint64_t>& squared) = 0;

  // The tree of the points here, under core distances among all. What is surely in the tree of all
  // points joins them to fragments. Returns their number.
  virtual std::uint32_t span() = 0;
  // The other edges, between fragments, in no order.
  virtual std::vector<Link> links() const = 0;
  // Orders those that are surely in the tree as it has them, where they are.
  virtual void order_sure_edges() = 0;
  virtual std::vector<TreeEdge> sure_edges() const = 0;

  // The component of each fragment, which is that of its points from now on. Afterwards
  // outline_colors() are those of the boxes of outline().
  virtual void set_components(const std::vector<std::uint32_t>& of_fragments) = 0;
  virtual std::vector<std::uint32_t> outline_colors() const = 0;
  virtual void set_outline_colors(const std::vector<std::vector<std::uint32_t>>& of_ranks) = 0;

  // The points whose way is no longer than the limit of their component, and that have no link to
  // another rank.
  virtual AskingPoints needy(const std::vector<std::uint64_t>& limit_of_component) = 0;
  // Of each component whose limit is kFarAway, if it has points here, the one of the shortest way.
  virtual std::vector<std::uint32_t> seeds(const std::vector<std::uint64_t>& limit_of_component) = 0;
  // What these points ask of a rank: those for which a box of it lies within the limit, and has
  // points of another component than the point's. Without components every box has.
  virtual PartQuestions questions(int rank, const AskingPoints& points) = 0;
  // These points' ways are so long from now on; 1: they have a link to another rank.
  virtual void set_ways(const std::vector<std::uint32_t>& places,
                        const std::vector<std::uint64_t>& squared,
                        const std::vector<std::uint8_t>& linked) = 0;
  virtual void forget_links(const std::vector<std::uint32_t>& places) = 0;

  // For each query the `most` smallest squared distances up to its limit, ascending.
  virtual std::vector<std::uint64_t> nearest(const std::vector<PlaceQuery>& queries, int most) = 0;
  // For each query the first edge to a point of another component within its limit.
  virtual std::vector<EdgeToPart> first_edges(const std::vector<PlaceQuery>& queries) = 0;

  // Of the points by their places: rows, and squared core distances, none of a tree of distances.
  virtual std::vector<std::uint32_t> rows() const = 0;
  virtual std::vector<std::uint64_t> core() = 0;

  // The most bytes that this process held at once in the device's memory pool; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
};

// On this device. `part` is not read any more afterwards; the others outlive it. Adds the time of
// the tree's phases to `timings`.
std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part, int min_samples,
                                             Device device, Progress& progress, Timings& timings);
std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part, int min_samples,
                                                 Progress& progress, Timings& timings);
std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part, int min_samples,
                                                  Device device, Progress& progress,
                                                  Timings& timings);

// The points in the order of Hilbert's curve, which parts are stretches of.
std::vector<std::uint32_t> cpu_curve_order(const clusters::LatticePoints& points);

}  // namespace haloscope::compute::distributed
