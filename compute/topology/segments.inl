#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/persistence.h"

#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>

// Segments of a grid at a threshold of persistence, for either executor.
namespace haloscope::compute::topology {

// Tells of moments of saddles (contacts.inl) whether they have come when a cell is swept.
struct HasCome {
  std::uint32_t key;
  std::uint64_t cell;
  CellListView saddles;
  HALOSCOPE_HD bool operator()(std::uint64_t moment) const {
    const std::uint32_t at = key_of_moment(moment);
    return at < key || (at == key && saddles[saddle_of_moment(moment)] <= cell);
  }
};

// The oldest basin in the component at its own level of each own cell of a block. Starts at the
// cell's own basin. While the branch has ended, goes on to its parent. After kSteps the dendrogram
// is asked, whose ways are short.
struct FindBranchOfCell {
  static constexpr int kSteps = 24;
  const std::uint32_t* key;  // of the first own cell and the next ones
  std::uint64_t first;       // that cell
  CellListView saddles;
  hierarchy::EldersView elders;
  hierarchy::AgesView ages;
  const std::uint32_t *death, *parent;
  const std::uint32_t* basin;  // as `key`
  std::uint32_t* branch;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t own = basin[i];
    branch[i] = own == kNone ? kNone : oldest(own, HasCome{key[i], first + i, saddles});
  }
  HALOSCOPE_HD std::uint32_t oldest(std::uint32_t own, const HasCome& has_come) const {
    std::uint32_t b = own;
    for (int step = 0; step < kSteps; ++step) {
      const std::uint32_t edge = death[b];
      if (edge == kNone || !has_come(elders.moment[edge])) return b;
      b = parent[b];
    }
    return ages.by_age[elders.oldest(own, ages.age[own], has_come)];
  }
};

// Where each basin's segment is to be looked for: its own, or that of another one. Those ways end
// at branches that are no noise, for what a branch that ends has swallowed is no more persistent
// than it.
struct JoinNoise {
  Simplification simplification;
  ValueKind kind;
  const std::uint32_t* death;           // the edge that ends a branch; kNone
  const std::uint64_t *birth, *saddle;  // values: of basins, of edges
  const std::uint32_t* to;              // where noise goes
  std::uint32_t* up;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto b = std::uint32_t(i);
    const std::uint32_t edge = death[b];
    const bool stays = edge == kNone || persists(simplification, kind, birth[b], saddle[edge]);
    up[b] = stays ? b : to[b];
  }
};

struct MarkSegments {
  const std::uint32_t *up, *by_age;
  std::uint32_t* is_segment;  // of each age
  HALOSCOPE_HD void operator()(std::size_t k) const { is_segment[k] = up[by_age[k]] == by_age[k]; }
};

struct LabelBasins {
  const std::uint32_t *up, *age;
  const std::uint32_t* number;  // of each age: the segments up to it
  std::uint32_t* label;
  HALOSCOPE_HD void operator()(std::size_t b) const { label[b] = number[age[up[b]]] - 1; }
};

struct LabelOfBasin {
  const std::uint32_t* label;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t basin) const {
    return basin == kNone ? kNone : label[basin];
  }
};

// A segment of each basin, and the ages of those that segments are called by, where is_segment
// counts up.
template <class Exec>
struct SegmentsOn {
  Buffer<std::uint32_t, Exec> of_basin;
  Buffer<std::uint32_t, Exec> number;  // of each age: how many segments are at most as old
};

template <class Exec>
SegmentsOn<Exec> segment_basins(Exec& exec, std::uint32_t basins, const JoinNoise& join,
                                const hierarchy::AgesView& ages) {
  SegmentsOn<Exec> segments{Buffer<std::uint32_t, Exec>(exec, basins, "segments"),
                            Buffer<std::uint32_t, Exec>(exec, basins, "segments")};
  if (basins == 0) return segments;
  Buffer<std::uint32_t, Exec> up(exec, basins, "segments"), flag(exec, 1, "segments");
  JoinNoise joining = join;
  joining.up = up.data();
  parallel_for(exec, "segments", basins, joining);
  hierarchy::shorten(exec, up.data(), 0, basins, flag.data());
  std::uint32_t* const number = segments.number.data();
  parallel_for(exec, "segments", basins, MarkSegments{up.data(), ages.by_age, number});
  thrust::inclusive_scan(exec.policy(), number, number + basins, number);
  parallel_for(exec, "segments", basins,
               LabelBasins{up.data(), ages.age, number, segments.of_basin.data()});
  return segments;
}

}  // namespace haloscope::compute::topology
