#pragma once

#include "compute/topology/basin_branches.inl"
#include "compute/topology/cell_lists.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/merge_tree.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// Columns of Branches, and of triplets, for either executor.
namespace haloscope::compute::topology {

// What the branch of each age tells.
struct TellBranches {
  hierarchy::AgesView ages;
  CellListView maximum, saddles;
  const std::uint32_t *death, *parent, *across;  // of each basin
  const std::uint64_t* moment;                   // of each edge
  const std::uint64_t *birth, *end;              // ordered bits: of each basin, of each edge
  // Columns of Branches.
  std::uint64_t *maximum_to, *saddle_to;
  std::uint32_t *parent_to, *across_to;
  std::uint64_t *birth_to, *death_to;

  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t b = ages.by_age[k], edge = death[b];
    const bool ends = edge != kNone;
    maximum_to[k] = maximum[b];
    saddle_to[k] = ends ? saddles[saddle_of_moment(moment[edge])] : kNoCell;
    parent_to[k] = ends ? ages.age[parent[b]] : kNoBranch;
    across_to[k] = ends ? ages.age[across[b]] : kNoBranch;
    birth_to[k] = birth[b];
    death_to[k] = ends ? end[edge] : 0;
  }
};

// The same where the ends of branches are known by age: fewer things lie all over the memory.
struct TellBranchEnds {
  std::size_t count;
  const std::uint32_t* by_age;
  const BranchEnd* end_of_age;
  CellListView maximum, saddles;
  const std::uint64_t *birth, *end;  // ordered bits: of each basin, of each edge
  // Columns of Branches.
  std::uint64_t *maximum_to, *saddle_to;
  std::uint32_t *parent_to, *across_to;
  std::uint64_t *birth_to, *death_to;

  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t b = by_age[k];
    const BranchEnd ending = end_of_age[k];
    const bool ends = ending.edge != kNone;
    maximum_to[k] = maximum[b];
    saddle_to[k] = ends ? saddles[ending.saddle] : kNoCell;
    parent_to[k] = ends ? ending.parent : kNoBranch;
    across_to[k] = ends ? ending.across : kNoBranch;
    birth_to[k] = birth[b];
    death_to[k] = ends ? end[ending.edge] : 0;
  }
  void prefetch(std::size_t k) const {
    constexpr std::size_t kAhead = 16;
    if (k + kAhead >= count) return;
    const std::uint32_t b = by_age[k + kAhead];
    const BranchEnd ending = end_of_age[k + kAhead];
    __builtin_prefetch(maximum.in_block + b);
    __builtin_prefetch(birth + b);
    if (ending.edge == kNone) return;
    __builtin_prefetch(saddles.in_block + ending.saddle);
    __builtin_prefetch(end + ending.edge);
  }
};

// The triplets of cells that are no maxima, and then those of maxima.
struct TopsOfCells {
  const std::uint32_t* branch;
  CellListView maximum;
  std::uint32_t *saddle, *top;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    const bool is_looked_at = branch[v] != kNone;
    saddle[v] = is_looked_at ? std::uint32_t(v) : kNone;
    top[v] = is_looked_at ? std::uint32_t(maximum[branch[v]]) : kNone;
  }
};

struct TopsOfMaxima {
  CellListView maximum, saddles;
  const std::uint32_t *death, *parent;
  const std::uint64_t* moment;
  std::uint32_t *saddle, *top;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto b = std::uint32_t(i);
    if (death[b] == kNone) return;
    saddle[maximum[b]] = std::uint32_t(saddles[saddle_of_moment(moment[death[b]])]);
    top[maximum[b]] = std::uint32_t(maximum[parent[b]]);
  }
};

}  // namespace haloscope::compute::topology
