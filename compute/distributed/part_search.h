#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/distributed/tree_over_ranks.h"
#include "compute/exec/device.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "core/host_device.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

// What a rank does for the spanning tree of the points of all ranks: it searches among its own, its
// part, for itself and for the others.
namespace haloscope::compute::distributed {

// Points of this rank, in the order of their rows among the points of all ranks.
struct PartOfPoints {
  std::vector<std::uint32_t> row;                  // among all, ascending
  std::vector<std::vector<std::uint32_t>> column;  // of the lattice
  std::uint32_t shift = 0;                         // LatticePoints

  std::uint32_t count() const { return std::uint32_t(row.size()); }
};

// An edge by its rows, as trees have it.
struct TreeEdge {
  std::uint64_t weight, ends;  // squared; hierarchy::ends_key()
  HALOSCOPE_HD bool operator<(const TreeEdge& other) const {
    return weight != other.weight ? weight < other.weight : ends < other.ends;
  }
};

// The interface for one executor and number of dimensions. What there is for each point of the part
// stays on the executor.
class PartSearch {
 public:
  virtual ~PartSearch() = default;

  // Finds this rank's share of the edges of the tree. All ranks call it, once.
  virtual void make() = 0;
  // These edges stand in their order: how many, every so-maniest of them, and how many come before
  // each of others.
  virtual std::uint64_t edges() const = 0;
  virtual std::vector<TreeEdge> every_edge(std::uint64_t step) const = 0;
  virtual std::vector<std::uint64_t> edges_before(const std::vector<TreeEdge>& bounds) const = 0;
  // As many as there is room for.
  virtual void copy_edges(std::uint64_t begin, std::span<TreeEdge> to) const = 0;
  // Of the points in the order of the rank's curve: rows, and squared core distances, none of a
  // tree of distances.
  virtual std::vector<std::uint32_t> rows() const = 0;
  virtual std::vector<std::uint64_t> core() const = 0;
  virtual const TreeOverRanksWork& work() const = 0;  // of this rank
};

// How a rank goes about it.
struct PartSearchSettings {
  int min_samples = 1;
  std::uint64_t asked_at_once = kAskedAtOnce;
};

// On this device, as those of all ranks are, which `wire` is between. `part` is not read any more
// afterwards; all others outlive it. Adds the time of its phases to `timings`.
std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part,
                                             const PartSearchSettings& settings, Device device,
                                             Ranks& ranks, DeviceRanks& wire, Progress& progress,
                                             Timings& timings);
std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part,
                                                 const PartSearchSettings& settings, Ranks& ranks,
                                                 DeviceRanks& wire, Progress& progress,
                                                 Timings& timings);
std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part,
                                                  const PartSearchSettings& settings, Device device,
                                                  Ranks& ranks, DeviceRanks& wire,
                                                  Progress& progress, Timings& timings);

// The points in the order of Hilbert's curve, which parts are stretches of: found on this device
// where they fit there, else on the processor.
std::vector<std::uint32_t> curve_order(const clusters::LatticePoints& points, Device device);
// Empty: they do not fit.
std::vector<std::uint32_t> cuda_curve_order(const clusters::LatticePoints& points, Device device);

}  // namespace haloscope::compute::distributed
