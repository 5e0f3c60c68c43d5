#pragma once

#include "compute/clusters/clustering.h"
#include "compute/exec/device.h"
#include "compute/halos/membership.h"
#include "compute/spatial/neighbors.h"
#include "core/domain.h"
#include "core/progress.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::compute::halos {

struct FinderSettings {
  clusters::ClusterSettings clusters;
  std::uint64_t min_members = 32;  // of all kinds together
};

// Particles on the host in file order, fixed point in one domain.
struct FinderInput {
  struct Kind {
    // Linked ones make the halos, to which attached ones are added; others are in no halo.
    enum class Part { Linked, Attached, None };
    Part part = Part::Linked;
    bool linked() const { return part == Part::Linked; }
    std::uint64_t count = 0;
    std::array<const std::uint32_t*, 3> position{};
    // The same positions on a device, where they are there; used if it is that of the tools.
    std::shared_ptr<const spatial::PointSet> points;
    // World lengths with which the search for the nearest linked particle begins (gas: its
    // smoothing length); null: a tenth of the linking length.
    const float* first_radius = nullptr;
  };
  Domain domain;
  std::vector<Kind> kinds;
};

// What finds halos on one executor.
struct FinderTools {
  std::unique_ptr<clusters::Clustering> clustering;
  std::unique_ptr<spatial::Neighbors> neighbors;
  Device device;
  Progress* progress = nullptr;  // is told of long steps, and may stop them
};
FinderTools finder_tools(Device device);  // throws Error where it cannot be had

// More take longer to stop, and more memory meanwhile; fewer leave a GPU idle.
inline constexpr std::size_t kAttachedAtOnce = std::size_t(1) << 20;

// The largest distance at which a particle is attached to a linked one: `first_radius` doubled
// until it reaches four linking lengths, as GADGET-4 (Springel et al. 2021) does.
double attachment_reach(double first_radius, double linking_length);

// The same of a particle of an attached kind, squared, in lattice steps.
std::uint64_t squared_reach(const FinderInput& input, const FinderInput::Kind& kind,
                            std::uint64_t row, double linking_length);

// Throws Error, naming its kind, unless the rows of each kind that can be in a halo fit the 32 bits
// in which members are noted.
void require_countable(std::uint64_t count, const std::string& kind);

// Bytes of host memory that find_halos takes beside its input and what its tools take, at most.
std::uint64_t finder_memory(std::uint64_t linked, std::uint64_t attached, bool several_linked);

// Halos of the linked kinds, to which particles of the others are attached: each to the halo of the
// linked particle nearest to it, within attachment_reach(). Friends-of-friends (minPts 2) counts a
// linked particle without friends as a group of its own, to which others may be attached. Adds
// milliseconds of the clustering's phases, attach and gather to `timings`. Throws Error as
// Clustering::run and require_countable() do.
HaloMembership find_halos(FinderTools& tools, const FinderInput& input,
                          const FinderSettings& settings, Timings& timings);

}  // namespace haloscope::compute::halos
