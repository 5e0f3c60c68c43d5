#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/map_words.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/topology/cell_lists.inl"
#include "compute/topology/cell_set.inl"
#include "compute/topology/cells.inl"
#include "compute/topology/rims.inl"
#include "compute/topology/upper_links.inl"

#include <thrust/sequence.h>

#include <cstdint>
#include <utility>
#include <vector>

// Basins of maxima by steepest ascent, for either executor. Any ascent would do for the tree; the
// steepest is what watershed labels mean.
namespace haloscope::compute::topology {

// What a look at the cells around each cell tells.
struct AscentsView {
  std::uint32_t* up;  // the way to the maximum; kNone: the cell is not looked at
  bool all;           // all cells are looked at; else `up` tells which
  CellSetView maxima;
  CellSetView saddles;  // cells whose upper link is in pieces
};

// The neighbor that is swept first, or the cell itself.
template <int C>
struct StepUp {
  GridView grid;
  SweepView sweep;
  AscentsView ascents;
  HALOSCOPE_HD void operator()(const Cell& cell) const {
    const std::uint32_t v = cell.index;
    if (!ascents.all && ascents.up[v] == kNone) return;
    std::uint32_t link = 0;
    const std::uint64_t own = sweep.moment(v);
    std::uint64_t least = own;
    for_neighbors<kLinkOf<C>>(grid, cell, [&](std::uint32_t u, int number) {
      const std::uint64_t moment = sweep.moment(u);
      link |= std::uint32_t(moment < own) << number;
      if (!is_neighbor<C>(number)) return;
      least = moment < least ? moment : least;
    });
    const std::uint32_t first = sweep.cell_of(least);
    ascents.up[v] = first;
    if (first == v)
      ascents.maxima.add(v);
    else if (is_apart<C>(link))
      ascents.saddles.add(v);
  }
};

// Goes to the maximum. A way that is too long is left for another pass, shorter by this factor.
struct FollowAscents {
  static constexpr int kSteps = 64;
  std::uint32_t* up;
  std::uint32_t* is_unfinished;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    const std::uint32_t begin = atomic_load(up + v);
    if (begin == kNone) return;
    std::uint32_t to = begin;
    for (int step = 0; step < kSteps; ++step) {
      const std::uint32_t beyond = atomic_load(up + to);
      if (beyond == to) {
        if (step > 0) atomic_store(up + v, to);
        return;
      }
      to = beyond;
    }
    atomic_store(up + v, to);
    atomic_store(is_unfinished, 1);
  }
};

// The number of a maximum in their set is that of its basin.
struct NumberBasins {
  CellSetView maxima;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t maximum) const {
    return maximum == kNone ? kNone : maxima.number(maximum);
  }
};

struct KeysOfMaxima {
  SweepView sweep;
  const std::uint32_t* maximum;
  std::uint32_t* key;
  HALOSCOPE_HD void operator()(std::size_t b) const { key[b] = sweep.key[maximum[b]]; }
};

struct InvertOrder {
  const std::uint32_t* by_age;
  std::uint32_t* age;
  HALOSCOPE_HD void operator()(std::size_t k) const { age[by_age[k]] = std::uint32_t(k); }
};

// The basins of one block. Ways end at its maxima, or in its rim, each cell of which counts as a
// maximum until it is known where the way goes on.
template <class Exec>
struct BlockBasins {
  std::uint32_t count = 0;              // of maxima among its own cells
  Buffer<std::uint32_t, Exec> of_cell;  // numbers of maxima, by their cells; kNone: not looked at
  Buffer<std::uint32_t, Exec> maximum, key;  // of its own
  Buffer<std::uint32_t, Exec> saddle;        // own cells where basins may be joined, ascending
};

// The plain way. Executors have their own: step_rows_cpu.h, step_tiles.cuh.
template <int C, class Exec>
void step_up(Exec& exec, const GridView& grid, const SweepView& sweep, const AscentsView& ascents) {
  for_cells(exec, "ascents", grid, StepUp<C>{grid, sweep, ascents});
}

// `cell`: of each cell itself, or kNone; empty: all are looked at.
template <int C, class Exec>
BlockBasins<Exec> find_basins(Exec& exec, const GridBlock& block, const SweepView& sweep,
                              Buffer<std::uint32_t, Exec> cell) {
  const GridView& grid = block.view;
  const std::uint32_t cells = grid.count(), rim = cells - block.own();
  BlockBasins<Exec> basins;
  CellSet<Exec> maxima(exec, cells, "maxima"), saddles(exec, cells, "saddles");
  const bool all = cell.empty();
  if (all) cell = Buffer<std::uint32_t, Exec>(exec, cells, "ascents");
  step_up<C>(exec, grid, sweep, AscentsView{cell.data(), all, maxima.view(), saddles.view()});
  parallel_for(
      exec, "rim", rim,
      EndAtRim{block.own_begin(), block.own(), cell.data(), maxima.view(), saddles.view()});
  basins.count = maxima.number(exec) - rim;
  const std::uint32_t apart = saddles.number(exec);
  Buffer<std::uint32_t, Exec> flag(exec, 1, "basins");
  do {
    exec.zero(flag.data(), sizeof(std::uint32_t));
    parallel_for(exec, "basins", cells, FollowAscents{cell.data(), flag.data()});
  } while (hierarchy::is_set(exec, flag.data()));
  map_words(exec, "basins", cells, cell.data(), cell.data(), NumberBasins{maxima.view()});
  basins.of_cell = std::move(cell);
  basins.maximum = maxima.list(exec, basins.count + rim);
  if (rim > 0) {
    Buffer<std::uint32_t, Exec> own(exec, basins.count, "maxima");
    thrust::copy_n(exec.policy(), basins.maximum.data() + block.own_begin(), basins.count,
                   own.data());
    basins.maximum = std::move(own);
  }
  basins.saddle = saddles.list(exec, apart);
  basins.key = Buffer<std::uint32_t, Exec>(exec, basins.count, "maxima");
  parallel_for(exec, "maxima", basins.count,
               KeysOfMaxima{sweep, basins.maximum.data(), basins.key.data()});
  return basins;
}

// Basins are called by numbers in the order of their maxima's indices, so that neighbors in space
// are neighbors in memory. Ages count maxima from the highest on.
template <class Exec>
struct BasinsOn {
  CellList<Exec> maximum;
  CellCodes<Exec> of_cell;             // kNone: the cell is not looked at
  Buffer<std::uint32_t, Exec> key;     // of each basin that of its maximum
  Buffer<std::uint32_t, Exec> age;     // of each basin
  Buffer<std::uint32_t, Exec> by_age;  // the basin of each age

  std::uint32_t count() const { return maximum.count; }

  void find_ages(Exec& exec) {
    age = Buffer<std::uint32_t, Exec>(exec, count(), "maxima");
    by_age = Buffer<std::uint32_t, Exec>(exec, count(), "maxima");
    if (count() == 0) return;
    Buffer<std::uint32_t, Exec> sorted(exec, count(), "maxima");
    thrust::copy_n(exec.policy(), key.data(), count(), sorted.data());
    thrust::sequence(exec.policy(), by_age.begin(), by_age.end());
    // The sort keeps the order of equal keys, which is that of indices.
    sort_pairs(exec, sorted, by_age, 32);
    parallel_for(exec, "maxima", count(), InvertOrder{by_age.data(), age.data()});
  }
};

// The basins of a grid from those of its blocks, one after another.
template <class Exec>
class BlocksBasins {
 public:
  BlocksBasins(Exec& exec, const std::vector<GridBlock>& blocks) : exec_(exec), blocks_(blocks) {}

  void add(BlockBasins<Exec> basins) {
    const GridBlock& block = blocks_[keys_.size()];
    codes_.add(exec_, blocks_, block, std::move(basins.of_cell), basins.count, maxima_.count());
    maxima_.add(std::move(basins.maximum), block.shift());
    keys_.push_back(std::move(basins.key));
  }

  BasinsOn<Exec> make() {
    BasinsOn<Exec> basins;
    basins.of_cell = codes_.make(exec_, blocks_);
    basins.maximum = maxima_.make(exec_, "maxima");
    basins.key = joined(exec_, std::move(keys_), "maxima");
    basins.find_ages(exec_);
    return basins;
  }

 private:
  Exec& exec_;
  const std::vector<GridBlock>& blocks_;
  CellLists<Exec> maxima_;
  RimCodes<Exec> codes_;
  std::vector<Buffer<std::uint32_t, Exec>> keys_;
};

}  // namespace haloscope::compute::topology
