#pragma once

#include "compute/brute_force/rows.h"

#include <cstdint>

// What both executors' searches among rows take and give, where the executor reads it.
namespace haloscope::compute::brute_force {

// Neighbor i of row r stands at r · k + i, those of one row by distance and then by row.
struct NearestRows {
  static constexpr std::uint32_t kMost = 512;

  std::uint32_t k;  // of each row, fewer than there are rows
  std::uint32_t* row;
  float* distance;
};

// A search for edges between components, of which each wants the shortest alone.
struct ForeignSearch {
  const std::uint32_t* color;  // of each row its component, called by a row
  const float* core;          // of each row; an edge is no shorter than that of either end; null: 0
  const std::uint32_t* rows;  // those that search
  std::uint32_t count;
  // Of each component the length of the shortest edge found, as bits_of() writes it; may be known
  // already in part.
  std::uint32_t* least;
  // Of each row neighbor_key() of its own shortest edge, as far as that is no longer than the
  // component's; kNoNeighbor where nothing is known.
  std::uint64_t* found;
};

// RowSearch<Exec>(exec, rows, progress): rows on the host, which it keeps what it needs of.
//   nearest(const NearestRows&): fills the lists.
//   foreign(const ForeignSearch&): lowers `least` and `found`, so that of the rows that search all
//     whose shortest edge is their component's have it in `found`.
template <class Exec>
class RowSearch;

}  // namespace haloscope::compute::brute_force
