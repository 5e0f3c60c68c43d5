#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/topology/cells.inl"
#include "compute/topology/grid_blocks.h"
#include "compute/topology/ordered_bits.h"
#include "compute/topology/tree_settings.h"

#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <cstdint>
#include <vector>

// Keys of 32 bits in the order in which cells are swept, for either executor.
namespace haloscope::compute::topology {

// What is swept first has the smallest bits.
template <class Bits>
HALOSCOPE_HD Bits sweep_bits(Bits ordered, Levels levels) {
  return levels == Levels::Super ? Bits(~ordered) : ordered;
}

template <class T>
HALOSCOPE_HD bool is_nan([[maybe_unused]] T value) {
  if constexpr (kKindOf<T> == ValueKind::Real)
    return value != value;
  else
    return false;
}

// The values of a block's cells, its rim included, in memory that holds them from `start` on.
// Behind the `cells` there are come those of `beyond`, which are `more`, and then the first again.
template <class T>
struct BlockValues {
  const T* from;
  std::uint64_t start, cells;
  const T* beyond = nullptr;
  std::uint64_t more = 0;
  HALOSCOPE_HD const T& operator[](std::size_t v) const {
    std::uint64_t at = start + v;
    if (at >= cells + more) at -= cells + more;
    return at < cells ? from[at] : beyond[at - cells];
  }
};

// Of memory that holds the whole grid.
template <class T>
BlockValues<T> values_in_grid(const GridBlock& block, const T* values) {
  const bool wraps = block.first < block.own_begin();
  return {values, block.shift() + (wraps ? block.cells : 0), block.cells, nullptr, 0};
}

// Which cells are looked at, and the first of the block's own ones without a number.
template <class T>
struct LookAtCells {
  BlockValues<T> value;
  std::uint32_t own_begin, own_end;
  KeptRange kept;
  std::uint32_t* cell;  // itself; kNone: its value is not looked at; null: all are looked at
  std::uint32_t* nan;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    if (is_nan(value[v]) && v >= own_begin && v < own_end) atomic_minimum(nan, v);
    if (cell) cell[v] = kept.holds(ordered_bits(value[v])) ? v : kNone;
  }
};

template <class T>
struct MakeShortKeys {
  LookAtCells<T> look;
  Levels levels;
  std::uint32_t* key;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    look(v);
    key[v] = sweep_bits(short_ordered_bits(look.value[v]), levels);
  }
};

template <class T>
struct MakeLongKeys {
  const T* value;
  Levels levels;
  std::uint64_t* key;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    key[v] = sweep_bits(ordered_bits(value[v]), levels);
  }
};

struct MarkNewKeys {
  const std::uint64_t* sorted;
  std::uint32_t* is_new;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    is_new[i] = i > 0 && sorted[i] != sorted[i - 1];
  }
};

struct ScatterRanks {
  const std::uint32_t *cell, *rank;
  std::uint32_t* key;
  HALOSCOPE_HD void operator()(std::size_t i) const { key[cell[i]] = rank[i]; }
};

// Values of 64 bits become the numbers of those that differ.
template <class T, class Exec>
void rank_values(Exec& exec, const T* value, Levels levels, Buffer<std::uint32_t, Exec>& key) {
  const std::size_t count = key.size();
  Buffer<std::uint64_t, Exec> sorted(exec, count, "values");
  Buffer<std::uint32_t, Exec> cell(exec, count, "values");
  parallel_for(exec, "values", count, MakeLongKeys<T>{value, levels, sorted.data()});
  thrust::sequence(exec.policy(), cell.begin(), cell.end());
  sort_pairs(exec, sorted, cell, 64);
  Buffer<std::uint32_t, Exec> rank(exec, count, "values");
  parallel_for(exec, "values", count, MarkNewKeys{sorted.data(), rank.data()});
  thrust::inclusive_scan(exec.policy(), rank.begin(), rank.end(), rank.begin());
  parallel_for(exec, "values", count, ScatterRanks{cell.data(), rank.data(), key.data()});
}

// A block as it is swept: keys of all cells, and which of them are looked at.
template <class Exec>
struct SweepOn {
  GridView grid;
  std::uint32_t begin = 0;
  Buffer<std::uint32_t, Exec> key;
  Buffer<std::uint32_t, Exec> cell;  // itself; kNone: not looked at; empty: all are

  SweepView view() const { return SweepView{key.data(), begin}; }
};

// Throws Error where a value is not a number. Keys of 64-bit values are places among those of this
// block, whose values lie one behind the other.
template <class T, class Exec>
SweepOn<Exec> sweep_of(Exec& exec, const GridShape& shape, const GridBlock& block,
                       const BlockValues<T>& value, const TreeSettings& settings) {
  const std::uint32_t count = block.view.count(), own = block.own_begin();
  SweepOn<Exec> sweep{
      block.view, block.begin, Buffer<std::uint32_t, Exec>(exec, count, "order of cells"), {}};
  if (settings.threshold) sweep.cell = Buffer<std::uint32_t, Exec>(exec, count, "basins");
  auto nan = upload(exec, std::vector<std::uint32_t>{kNone}, "values");
  const LookAtCells<T> look{
      value,     own, own + block.own(), kept_range(kKindOf<T>, settings), sweep.cell.data(),
      nan.data()};
  if constexpr (sizeof(T) <= sizeof(std::uint32_t))
    parallel_for(exec, "values", count, MakeShortKeys<T>{look, settings.levels, sweep.key.data()});
  else
    parallel_for(exec, "values", count, look);
  const std::uint32_t first_nan = download(exec, nan).front();
  if (first_nan != kNone) refuse_nan(shape, block.shift() + first_nan);
  if constexpr (sizeof(T) > sizeof(std::uint32_t))
    rank_values(exec, value.from, settings.levels, sweep.key);
  return sweep;
}

// Ordered bits of some cells, from their values.
template <class T>
struct GatherBits {
  const T* value;
  const std::uint32_t* cell;
  std::uint64_t* bits;
  HALOSCOPE_HD void operator()(std::size_t i) const { bits[i] = ordered_bits(value[cell[i]]); }
};

// The same from keys, of values of at most 32 bits.
template <class T>
HALOSCOPE_HD std::uint64_t bits_of_key(std::uint32_t key, Levels levels) {
  return widened_bits<T>(sweep_bits(key, levels));
}

}  // namespace haloscope::compute::topology
