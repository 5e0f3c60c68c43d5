#pragma once

#include "compute/distributed/shared_halos.h"
#include "compute/exec/ranks.h"
#include "compute/halos/membership.h"
#include "compute/halos/properties/properties.h"
#include "core/array.h"
#include "core/domain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// The halos that this rank measures, with all their members and whatever lies around them.
struct GatheredHalos {
  // Of one kind: the particles in the order of all ranks' rows.
  struct Kind {
    std::array<LargeVector<std::uint32_t>, 3> position;
    std::array<LargeVector<float>, 3> velocity;
    LargeVector<float> mass;
    // None of kinds without members.
    LargeVector<std::uint32_t> row;  // of all ranks' rows
    LargeVector<std::uint64_t> id;   // of members; 0 of others, and where there are none
  };
  std::vector<Kind> kinds;
  std::vector<std::uint32_t> halos;  // places among all halos, ascending
  halos::HaloMembership members;     // of these, whose rows are those of `kinds`
};

struct GatherRequest {
  haloscope::Domain domain;
  std::span<const KindPart> kinds;
  std::span<const SharedHalo> halos;
  std::span<const int> workers;  // by halo
  halos::HaloPhysics physics;
  // Is called when a kind's particles have been sent: nothing of it is read any more but whether it
  // has members.
  std::function<void(std::size_t kind)> gathered;
};

// Sends each particle to the ranks that need it: a member to the rank that measures its halo, any
// particle to those of whose halos it may lie in a sphere, as find_spheres() looks for them. All
// ranks call it. Takes 48 bytes for each particle that is sent to another rank, and as much for
// each that comes from one, kind after kind.
GatheredHalos gather_halos(Ranks& ranks, const RankedRows& rows, const GatherRequest& request);

// The properties of all halos on rank 0, in the order of the halos; nothing on the others. Rows of
// most bound members become those of all ranks.
halos::HaloProperties collect_properties(Ranks& ranks, const GatheredHalos& gathered,
                                         halos::HaloProperties own);

// The members of all halos on rank 0, by all ranks' rows, and the IDs beside them, where these are
// asked for.
struct CollectedMembers {
  halos::HaloMembership members;
  LargeVector<std::uint64_t> ids;         // as members.rows, or none
  std::vector<std::uint64_t> most_bound;  // IDs, by halo
};
CollectedMembers collect_members(Ranks& ranks, const GatheredHalos& gathered,
                                 const halos::HaloProperties& own, bool with_ids);

}  // namespace haloscope::compute::distributed
