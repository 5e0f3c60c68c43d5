#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/exec/device.h"
#include "core/progress.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// Searches among the points of one rank, its part, for points of all ranks.
namespace haloscope::compute::distributed {

// Points of this rank, in the order of their rows among the points of all ranks, so that their own
// numbers here compare as the rows do.
struct PartOfPoints {
  std::vector<std::uint32_t> row;                  // among all, ascending
  std::vector<std::vector<std::uint32_t>> column;  // of the lattice
  std::uint32_t shift = 0;                         // LatticePoints

  std::uint32_t count() const { return std::uint32_t(row.size()); }
  clusters::LatticePoints view() const;
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
  std::uint32_t to;      // number of the point here; hierarchy::kNone: there is no edge
  std::uint32_t unused = 0;
};

// The interface for one executor and number of dimensions. Squared distances are in lattice steps,
// exact; clusters::kFarAway stands for none. Points are named by their numbers here.
class PartSearch {
 public:
  virtual ~PartSearch() = default;

  // Squared distance of each point to its `nth` nearest other point of this part.
  virtual std::vector<std::uint64_t> distances_here(int nth) = 0;
  // For each of these points the `most` smallest such distances, ascending.
  virtual std::vector<std::uint64_t> nearest_here(const std::vector<std::uint32_t>& points,
                                                  int most) = 0;

  // Boxes around the points of this part, as another rank's search takes them.
  virtual std::vector<std::uint32_t> outline() const = 0;
  // Those of all ranks; this one's is not looked at.
  virtual void set_outlines(int self, const std::vector<std::vector<std::uint32_t>>& of_ranks) = 0;
  // Squared distance of each point to the nearest box of another rank, or a little less.
  virtual std::vector<std::uint64_t> distances_to_others() = 0;
  // For each of these points: 1 where a box of that rank lies within the limit, a squared distance,
  // and has points of another component than the point's. Without colors every box has.
  virtual std::vector<std::uint8_t> reach(int rank, const std::vector<std::uint32_t>& points,
                                          const std::vector<std::uint64_t>& limits) = 0;

  // Squared core distance of each point; nothing: all are 0.
  virtual void set_core(const std::vector<std::uint64_t>& core) = 0;
  // The component of each point. Afterwards outline_colors() are those of the boxes of outline().
  virtual void set_colors(const std::vector<std::uint32_t>& colors) = 0;
  virtual std::vector<std::uint32_t> outline_colors() const = 0;
  virtual void set_outline_colors(const std::vector<std::vector<std::uint32_t>>& of_ranks) = 0;

  // For each query the `most` smallest squared distances up to its limit, ascending.
  virtual std::vector<std::uint64_t> nearest(const std::vector<PlaceQuery>& queries, int most) = 0;
  // For each query the first edge to a point of another component within its limit.
  virtual std::vector<EdgeToPart> first_edges(const std::vector<PlaceQuery>& queries) = 0;

  // The most bytes that this process held at once in the device's memory pool; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
};

// On this device; `part` and `progress` outlive it.
std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part, Device device,
                                             Progress& progress);
std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part, Progress& progress);
std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part, Device device,
                                                  Progress& progress);

// The points in the order of Hilbert's curve, which parts are stretches of.
std::vector<std::uint32_t> cpu_curve_order(const clusters::LatticePoints& points);

}  // namespace haloscope::compute::distributed
