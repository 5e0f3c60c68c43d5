#pragma once

#include "compute/clusters/clustering.h"
#include "compute/exec/device.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "core/domain.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// What a link of this rank came to.
struct LinkedOverRanks {
  std::uint64_t looked_at = 0;  // points of this rank near other ranks' parts of space
  std::uint64_t ghosts = 0;     // points of other ranks that it had
  std::uint64_t pairs = 0;      // of names that groups have on two ranks, of all ranks
  std::uint64_t renamed = 0;    // names in these pairs, of all ranks
};

// Boxes of points, one beside the other: copies of one box at the places of a lattice.
struct BoxCopies {
  std::uint32_t per_side = 1;                        // of the domain; a power of two: exact
  std::vector<std::array<std::uint32_t, 3>> places;  // of this rank's copies, below per_side
};

// Friends-of-friends groups of the points of all ranks, which stay where they are: each rank has
// its own on its device. Ranks should have stretches of the Morton order, one after the other;
// groups are right wherever the points lie, but what lies in another rank's stretch is linked on
// both.
//
// Points near another rank's stretch are selected and packed on the device, go there through
// DeviceRanks, and are linked there with the others. What the ranks say of such points joins the
// groups that reach over edges: numbers of these alone go through the host. A rank has fewer than
// 2³² − 1 points, ghosts with them; all ranks together may have more. Takes 20 bytes for each point
// beside what clustering resident sets takes.
class ResidentGroups {
 public:
  virtual ~ResidentGroups() = default;

  // All ranks call each of these together.

  // Takes `count` points of the host, which are numbered from `first` on; numbers of all ranks are
  // distinct.
  virtual void set_points(const haloscope::Domain& domain,
                          const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                          std::uint64_t first) = 0;
  // Takes copies of a box of `count` points, made on the device, one copy after the other.
  virtual void set_copies(const haloscope::Domain& domain,
                          const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                          const BoxCopies& copies, std::uint64_t first) = 0;

  // Adds milliseconds of ghosts, those of the clustering, and join to `timings`. Throws Error as
  // Clustering::run does.
  virtual LinkedOverRanks link(const clusters::ClusterSettings& settings, Timings& timings) = 0;

  // For each point of this rank the smallest number in its group, as link_groups() tells it.
  virtual std::vector<std::uint64_t> groups() const = 0;
  virtual std::uint64_t peak_device_memory() const = 0;
};

std::unique_ptr<ResidentGroups> make_cpu_resident_groups(Ranks& ranks, DeviceRanks& wire);
std::unique_ptr<ResidentGroups> make_cuda_resident_groups(Device device, Ranks& ranks,
                                                          DeviceRanks& wire);

// On this rank's device; `ranks` and `wire`, which is of the same device, must outlive it.
inline std::unique_ptr<ResidentGroups> make_resident_groups(Device device, Ranks& ranks,
                                                            DeviceRanks& wire) {
  return device.is_gpu() ? make_cuda_resident_groups(device, ranks, wire)
                         : make_cpu_resident_groups(ranks, wire);
}

}  // namespace haloscope::compute::distributed
