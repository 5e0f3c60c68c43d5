#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/topology/cells.inl"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>

#include <cstdint>
#include <utility>

// Basins of maxima by steepest ascent, for either executor. Any ascent would do for the tree; the
// steepest is what watershed labels mean.
namespace haloscope::compute::topology {

// The neighbor that is swept first, or the cell itself.
template <int C>
struct StepUp {
  GridView grid;
  SweepView sweep;
  std::uint32_t* up;  // kNone: the cell is not looked at
  HALOSCOPE_HD void operator()(const Cell& cell) const {
    if (up[cell.index] == kNone) return;
    std::uint32_t first = cell.index;
    for_neighbors<C>(grid, cell, [&](std::uint32_t u) {
      if (sweep.before(u, first)) first = u;
    });
    up[cell.index] = first;
  }
};

// Goes some steps towards the maximum. Each pass makes the longest way shorter by this factor.
struct ShortenAscents {
  static constexpr int kSteps = 16;
  std::uint32_t* up;
  std::uint32_t* is_unfinished;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    const std::uint32_t begin = atomic_load(up + v);
    if (begin == kNone) return;
    std::uint32_t to = begin;
    for (int step = 0; step < kSteps; ++step) {
      const std::uint32_t beyond = atomic_load(up + to);
      if (beyond == to) {
        if (to != begin) atomic_store(up + v, to);
        return;
      }
      to = beyond;
    }
    atomic_store(up + v, to);
    atomic_store(is_unfinished, 1);
  }
};

struct IsMaximum {
  const std::uint32_t* up;
  HALOSCOPE_HD bool operator()(std::uint32_t v) const { return up[v] == v; }
};

struct KeysOfMaxima {
  SweepView sweep;
  const std::uint32_t* maximum;
  std::uint64_t* key;
  HALOSCOPE_HD void operator()(std::size_t b) const { key[b] = sweep.key[maximum[b]]; }
};

struct InvertOrder {
  const std::uint32_t* by_age;
  std::uint32_t* age;
  HALOSCOPE_HD void operator()(std::size_t k) const { age[by_age[k]] = std::uint32_t(k); }
};

// Basins instead of maxima, in two steps without another array: first maxima get their numbers,
// then all other cells read them there.
struct NumberMaxima {
  const std::uint32_t* maximum;
  std::uint32_t* basin;
  HALOSCOPE_HD void operator()(std::size_t b) const { basin[maximum[b]] = std::uint32_t(b); }
};

struct NumberOthers {
  const std::uint32_t* maximum;
  std::uint32_t count;
  std::uint32_t* basin;  // of maxima; of other cells the maximum
  HALOSCOPE_HD void operator()(std::size_t v) const {
    const std::uint32_t to = basin[v];
    if (to == kNone) return;
    // A maximum has its number already; no other cell is the maximum of any number.
    if (to < count && maximum[to] == v) return;
    basin[v] = basin[to];
  }
};

// Basins are called by numbers in the order of their maxima's indices, so that neighbors in space
// are neighbors in memory. Ages count maxima from the highest on.
template <class Exec>
struct BasinsOn {
  std::uint32_t count = 0;
  Buffer<std::uint32_t, Exec> of_cell;  // kNone: the cell is not looked at
  Buffer<std::uint32_t, Exec> maximum;  // of each basin
  Buffer<std::uint32_t, Exec> age;      // of each basin
  Buffer<std::uint32_t, Exec> by_age;   // the basin of each age
};

// `cell`: of each cell itself, or kNone.
template <int C, class Exec>
BasinsOn<Exec> find_basins(Exec& exec, const GridView& grid, const SweepView& sweep,
                           Buffer<std::uint32_t, Exec> cell) {
  const std::uint32_t cells = grid.count();
  BasinsOn<Exec> basins;
  basins.of_cell = std::move(cell);
  std::uint32_t* const basin = basins.of_cell.data();
  for_cells(exec, "ascents", grid, StepUp<C>{grid, sweep, basin});
  Buffer<std::uint32_t, Exec> flag(exec, 1, "basins");
  do {
    exec.zero(flag.data(), sizeof(std::uint32_t));
    parallel_for(exec, "basins", cells, ShortenAscents{basin, flag.data()});
  } while (hierarchy::is_set(exec, flag.data()));

  const thrust::counting_iterator<std::uint32_t> first(0);
  basins.count =
      std::uint32_t(thrust::count_if(exec.policy(), first, first + cells, IsMaximum{basin}));
  const std::uint32_t count = basins.count;
  basins.maximum = Buffer<std::uint32_t, Exec>(exec, count, "maxima");
  basins.age = Buffer<std::uint32_t, Exec>(exec, count, "maxima");
  basins.by_age = Buffer<std::uint32_t, Exec>(exec, count, "maxima");
  if (count == 0) return basins;
  thrust::copy_if(exec.policy(), first, first + cells, basins.maximum.data(), IsMaximum{basin});
  parallel_for(exec, "basins", count, NumberMaxima{basins.maximum.data(), basin});
  parallel_for(exec, "basins", cells, NumberOthers{basins.maximum.data(), count, basin});

  Buffer<std::uint64_t, Exec> key(exec, count, "maxima");
  parallel_for(exec, "maxima", count, KeysOfMaxima{sweep, basins.maximum.data(), key.data()});
  thrust::sequence(exec.policy(), basins.by_age.begin(), basins.by_age.end());
  // The sort keeps the order of equal keys, which is that of indices.
  sort_pairs(exec, key, basins.by_age, 32);
  parallel_for(exec, "maxima", count, InvertOrder{basins.by_age.data(), basins.age.data()});
  return basins;
}

}  // namespace haloscope::compute::topology
