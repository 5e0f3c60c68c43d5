#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"
#include "compute/topology/cells.inl"
#include "compute/topology/sweep_keys.inl"
#include "compute/topology/triplets.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// The triplet merge tree, for either executor. The paper says it of sublevels; here what is swept
// before is what lies below there.
namespace haloscope::compute::topology {

HALOSCOPE_HD inline std::uint64_t triplet_of(std::uint32_t saddle, std::uint32_t top) {
  return std::uint64_t(saddle) << 32 | top;
}

inline constexpr std::uint64_t kNoTriplet = ~std::uint64_t(0);  // the cell is not looked at

// Saddle and top of each cell, packed in one word, so that both change at once.
struct TripletsView {
  SweepView sweep;
  std::uint64_t* word;

  // The highest cell that u is joined with at the level of s (algorithm 4), and its word.
  HALOSCOPE_HD std::uint32_t representative(std::uint32_t u, std::uint32_t s,
                                            std::uint64_t& seen) const {
    for (;;) {
      seen = atomic_load(word + u);
      const auto saddle = std::uint32_t(seen >> 32), top = std::uint32_t(seen);
      if (top == u || sweep.before(s, saddle)) return u;
      u = top;
    }
  }

  // u and v are joined at s (algorithm 3). What a triplet said before it is changed is said again
  // of its representatives, at a later saddle.
  HALOSCOPE_HD void merge(std::uint32_t u, std::uint32_t s, std::uint32_t v) const {
    for (;;) {
      std::uint64_t word_of_u = 0, seen = 0;
      u = representative(u, s, word_of_u);
      v = representative(v, s, seen);
      if (u == v) return;
      if (sweep.before(v, u)) {
        const std::uint32_t older = v;
        v = u;
        u = older;
        seen = word_of_u;
      }
      if (atomic_compare_exchange(word + v, seen, triplet_of(s, u)) != seen) continue;
      const auto top = std::uint32_t(seen);
      if (top == v) return;
      s = std::uint32_t(seen >> 32);
      v = top;
    }
  }
};

struct BeginTriplets {
  const std::uint32_t* cell;  // kNone: not looked at; null: all are
  std::uint64_t* word;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    word[v] = cell && cell[v] == kNone ? kNoTriplet : triplet_of(v, v);
  }
};

template <int C>
struct MergeEdges {
  GridView grid;
  TripletsView triplets;
  HALOSCOPE_HD void operator()(const Cell& cell) const {
    const std::uint32_t v = cell.index;
    if (atomic_load(triplets.word + v) == kNoTriplet) return;
    for_neighbors<C>(grid, cell, [&](std::uint32_t u, int) {
      if (triplets.sweep.before(u, v)) triplets.merge(v, v, u);
    });
  }
};

// Algorithm 5.
struct RepairTriplets {
  TripletsView triplets;
  std::uint32_t first;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t u = first + std::uint32_t(i);
    const std::uint64_t seen = atomic_load(triplets.word + u);
    if (seen == kNoTriplet || std::uint32_t(seen) == u) return;
    const auto s = std::uint32_t(seen >> 32);
    std::uint64_t other = 0;
    const std::uint32_t top = triplets.representative(std::uint32_t(seen), s, other);
    if (top != std::uint32_t(seen)) atomic_store(triplets.word + u, triplet_of(s, top));
  }
};

// Calls f(begin, end) for stretches of cells, between which the job can be cancelled.
template <class F>
void in_stretches(std::uint32_t cells, Progress& progress, double from, double to, const F& f) {
  constexpr std::uint32_t kStretch = 1u << 22;
  for (std::uint32_t begin = 0; begin < cells;) {
    progress.report("merge tree", from + (to - from) * double(begin) / double(cells));
    const std::uint32_t end = begin + std::min(kStretch, cells - begin);
    f(begin, end);
    begin = end;
  }
}

template <class T, class Exec>
Triplets triplets_of(Exec& exec, const GridShape& shape, std::span<const T> values,
                     const TreeSettings& settings, Progress& progress, Phases<Exec>& phases) {
  phases.begin("upload");
  Buffer<std::uint64_t, Exec> word(exec, values.size(), "triplets");
  SweepOn<Exec> sweep;
  {
    Buffer<T, Exec> value(exec, values.size(), "grid");
    exec.upload(value.data(), values.data(), values.size_bytes());
    phases.begin("order of cells");
    const GridBlock whole = whole_grid(shape);
    sweep =
        sweep_of(exec, shape, whole, values_in_grid(whole, std::as_const(value).data()), settings);
  }
  const auto cells = std::uint32_t(values.size());
  phases.begin("merge");
  parallel_for(exec, "triplets", cells, BeginTriplets{sweep.cell.data(), word.data()});
  sweep.cell = {};
  const TripletsView triplets{sweep.view(), word.data()};
  with_neighbors(settings.connectivity, [&]<int C>() {
    in_stretches(cells, progress, 0, 0.8, [&](std::uint32_t begin, std::uint32_t end) {
      for_cells(exec, "merge", sweep.grid, begin, end, MergeEdges<C>{sweep.grid, triplets});
      exec.synchronize();
    });
  });
  phases.begin("repair");
  in_stretches(cells, progress, 0.8, 1, [&](std::uint32_t begin, std::uint32_t end) {
    parallel_for(exec, "repair", end - begin, RepairTriplets{triplets, begin});
    exec.synchronize();
  });
  phases.begin("download");
  Triplets made;
  made.saddle.reserve(cells);
  made.top.reserve(cells);
  for (const std::uint64_t all : download(exec, word)) {
    made.saddle.push_back(std::uint32_t(all >> 32));
    made.top.push_back(std::uint32_t(all));
  }
  phases.end();
  return made;
}

template <class Exec>
Triplets triplets_on(Exec& exec, const ScalarGrid& grid, const TreeSettings& settings,
                     Progress& progress, Timings* timings) {
  Timings own_timings;
  Phases<Exec> phases(exec, timings ? *timings : own_timings);
  return std::visit(
      [&](const auto& values) {
        return triplets_of(exec, grid.shape, values, settings, progress, phases);
      },
      grid.values);
}

}  // namespace haloscope::compute::topology
