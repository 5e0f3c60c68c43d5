#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/contacts.inl"

#include <thrust/copy.h>

#include <cstdint>
#include <utility>

// Where the branches of basins end, for either executor.
namespace haloscope::compute::topology {

// Where the branch of one age ends. Basins are called by their ages.
struct BranchEnd {
  std::uint32_t edge;    // kNone: it never ends, and all of this is none
  std::uint32_t saddle;  // its number
  std::uint32_t parent;
  std::uint32_t own, across;  // the ends of the edge
};

template <class Exec>
struct BasinBranches {
  SaddlesOn<Exec> saddles;      // without ends where `end` is there: elders_of_ends() makes them
  Buffer<BranchEnd, Exec> end;  // of each age; empty: find_elders() makes the elders
};

struct TellElders {
  const BranchEnd* end;
  const std::uint32_t* by_age;
  std::uint32_t *death, *parent, *across;  // of each basin
  std::uint32_t *a, *b;                    // of each edge
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const BranchEnd of_age = end[k];
    const std::uint32_t basin = by_age[k];
    death[basin] = of_age.edge;
    parent[basin] = across[basin] = kNone;
    if (of_age.edge == kNone) return;
    const std::uint32_t own = by_age[of_age.own], other = by_age[of_age.across];
    parent[basin] = by_age[of_age.parent];
    across[basin] = other;
    a[of_age.edge] = own < other ? own : other;
    b[of_age.edge] = own < other ? other : own;
  }
};

// From the ends by age, and the ends of saddles too.
template <class Exec>
hierarchy::EldersOn<Exec> elders_of_ends(Exec& exec, const Buffer<BranchEnd, Exec>& end,
                                         const hierarchy::AgesView& ages,
                                         SaddlesOn<Exec>& saddles) {
  hierarchy::EldersOn<Exec> elders;
  for (auto* const column : {&elders.death, &elders.parent, &elders.across})
    *column = Buffer<std::uint32_t, Exec>(exec, end.size(), "branches");
  for (auto* const column : {&saddles.a, &saddles.b})
    *column = Buffer<std::uint32_t, Exec>(exec, saddles.count, "saddles");
  parallel_for(exec, "branches", end.size(),
               TellElders{end.data(), ages.by_age, elders.death.data(), elders.parent.data(),
                          elders.across.data(), saddles.a.data(), saddles.b.data()});
  return elders;
}

// The plain way. The CPU has its own: merge_contacts_cpu.h.
template <class Exec>
BasinBranches<Exec> join_basins(Exec& exec, ContactLists<Exec> contacts,
                                const hierarchy::AgesView& /*ages*/, std::uint32_t basins) {
  return {ContactForest<Exec>(exec, contacts.make(), basins).make(), {}};
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
