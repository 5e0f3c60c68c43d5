#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/contacts.inl"

#include <thrust/copy.h>

#include <cstdint>
#include <utility>

// Where the branches of basins end, for either executor.
namespace haloscope::compute::topology {

// Where the branch of one age ends.
struct BranchEnd {
  std::uint32_t edge;            // kNone: it never ends, and the rest is none either
  std::uint32_t saddle;          // its number
  std::uint32_t parent, across;  // by the ages of their basins
};

template <class Exec>
struct BasinBranches {
  SaddlesOn<Exec> saddles;
  hierarchy::EldersOn<Exec> elders;  // empty: find_elders() makes them
  Buffer<BranchEnd, Exec> end;       // of each age; empty: `elders` tell it
};

// The plain way. The CPU has its own: merge_contacts_cpu.h.
template <class Exec>
BasinBranches<Exec> join_basins(Exec& exec, ContactLists<Exec> contacts,
                                const hierarchy::AgesView& /*ages*/, std::uint32_t basins) {
  return {ContactForest<Exec>(exec, contacts.make(), basins).make(), {}, {}};
}

// By the dendrogram, which is a part of them then. The ends of saddles are gone after it.
template <class Exec>
hierarchy::EldersOn<Exec> find_elders(Exec& exec, SaddlesOn<Exec>& saddles,
                                      const hierarchy::AgesView& ages, std::uint32_t basins) {
  hierarchy::ForestOn<Exec> forest;
  forest.points = basins;
  forest.edges = saddles.count;
  forest.a = Buffer<std::uint32_t, Exec>(exec, saddles.count, "saddles");
  forest.b = Buffer<std::uint32_t, Exec>(exec, saddles.count, "saddles");
  thrust::copy_n(exec.policy(), saddles.a.data(), saddles.count, forest.a.data());
  thrust::copy_n(exec.policy(), saddles.b.data(), saddles.count, forest.b.data());
  auto elders =
      hierarchy::ElderRule<Exec>(exec, std::move(forest), saddles.a.data(), saddles.b.data())
          .make(ages, saddles.moment.data());
  saddles.a = {};
  saddles.b = {};
  return elders;
}

}  // namespace haloscope::compute::topology
