#pragma once

#include "compute/exec/buffer.h"
#include "compute/spatial/octree_store.inl"

#include <thrust/scan.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// An octree from sorted Morton codes, without atomics: each place tells by the codes around it
// which cells begin there. Nodes are counted level by level, then written together with the link in
// the parent, which is the last node begun on the level above.
namespace haloscope::compute::spatial {

// Leading zeros of a code, which is not 0.
HALOSCOPE_HD inline int leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return std::countl_zero(x);
#endif
}

// The cells that begin at one place: nodes on the levels first … last, and a leaf below them.
struct CellsBegun {
  int first, last;
  int leaf;  // its level, or -1
};

struct SortedCodes {
  const std::uint64_t* code;
  std::uint32_t count, leaf_size;
  int depth;

  // The deepest level on which two bodies share a cell.
  HALOSCOPE_HD int shared_level(std::uint32_t i, std::uint32_t j) const {
    const std::uint64_t differ = code[i] ^ code[j];
    const int level = differ ? (leading_zeros(differ) - 1) / 3 : kMostOctreeDepth;
    return level < depth ? level : depth;
  }

  // Whether the cell of body i on a level, which holds the body before too, is a node.
  HALOSCOPE_HD bool is_node(std::uint32_t i, int level) const {
    if (leaf_size == 1) return true;
    std::uint32_t low = i > leaf_size ? i - leaf_size : 0, high = i - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (shared_level(middle, i) >= level)
        high = middle;
      else
        low = middle + 1;
    }
    return std::uint64_t(low) + leaf_size < count && shared_level(low, low + leaf_size) >= level;
  }

  // The deepest level of nodes on which the cell of body i holds the leaf_size bodies behind it
  // too; -1: none.
  HALOSCOPE_HD int last_node(std::uint32_t i) const {
    if (std::uint64_t(i) + leaf_size >= count) return -1;
    const int level = shared_level(i, i + leaf_size);
    return level < depth ? level : depth - 1;
  }

  HALOSCOPE_HD CellsBegun begun(std::uint32_t i) const {
    CellsBegun cells{0, -1, -1};
    cells.first = i == 0 ? 0 : shared_level(i - 1, i) + 1;
    cells.last = last_node(i);
    if (cells.last >= cells.first)
      cells.leaf = cells.last + 1;
    else if (i == 0 || (cells.first <= depth && is_node(i, cells.first - 1)))
      cells.leaf = cells.first;
    return cells;
  }
};

// The same of one place after the other: where the leaf of the place before is known, two codes
// tell whether this one lies in it, and no search is needed.
class CellsInOrder {
 public:
  HALOSCOPE_HD explicit CellsInOrder(const SortedCodes& codes) : codes_(codes) {}

  HALOSCOPE_HD CellsBegun begun(std::uint32_t i) {
    CellsBegun cells{0, -1, -1};
    if (leaf_ < 0) {
      cells = codes_.begun(i);
    } else {
      cells.first = codes_.shared_level(i - 1, i) + 1;
      if (cells.first > leaf_) return cells;
      // The cell above the first, which holds the leaf of the place before, is a node.
      cells.last = codes_.last_node(i);
      cells.leaf = cells.last >= cells.first ? cells.last + 1 : cells.first;
    }
    if (cells.leaf >= 0) leaf_ = cells.leaf;
    return cells;
  }

 private:
  const SortedCodes codes_;
  int leaf_ = -1;  // its level at the place before; -1: not known
};

// Places of one chunk are counted together.
inline constexpr std::uint32_t kChunkPlaces = 256;
// Rows of counts: a level each, leaves last.
inline constexpr int kLeafRow = kMostOctreeDepth, kCountRows = kMostOctreeDepth + 1;

struct WriteCells {
  OctreeNode* nodes;
  std::uint32_t* node_begin;
  std::uint32_t* leaf_begin;

  HALOSCOPE_HD void node(std::uint32_t number, std::uint32_t place, std::uint32_t parent,
                         std::uint64_t code, int level) const {
    node_begin[number] = place;
    if (level > 0) nodes[parent].child[octant_of(code, level)] = number;
  }
  HALOSCOPE_HD void leaf(std::uint32_t number, std::uint32_t place, std::uint32_t parent,
                         std::uint64_t code, int level) const {
    leaf_begin[number] = place;
    if (level > 0) nodes[parent].child[octant_of(code, level)] = number | kOctreeLeaf;
  }
};

// A chunk by one thread. GPUs have it by warps: octree_morton.cuh.
struct CountCells {
  SortedCodes codes;
  std::size_t chunks;
  std::uint32_t* counts;  // by row, then chunk
  HALOSCOPE_HD void operator()(std::size_t chunk) const {
    std::uint32_t of_row[kCountRows] = {};
    CellsInOrder in_order(codes);
    const std::uint64_t first = std::uint64_t(chunk) * kChunkPlaces;
    for (std::uint64_t i = first; i < first + kChunkPlaces && i < codes.count; ++i) {
      const CellsBegun cells = in_order.begun(std::uint32_t(i));
      for (int level = cells.first; level <= cells.last; ++level) ++of_row[level];
      of_row[kLeafRow] += cells.leaf >= 0;
    }
    for (int row = 0; row < kCountRows; ++row)
      counts[std::size_t(row) * chunks + chunk] = of_row[row];
  }
};

struct WriteChunk {
  SortedCodes codes;
  std::size_t chunks;
  const std::uint32_t* before;  // by row, then chunk: how many were counted before
  std::uint32_t node_number;
  WriteCells write;
  HALOSCOPE_HD void operator()(std::size_t chunk) const {
    std::uint32_t next[kCountRows];
    for (int row = 0; row < kCountRows; ++row)
      next[row] = before[std::size_t(row) * chunks + chunk];
    next[kLeafRow] -= node_number;
    CellsInOrder in_order(codes);
    const std::uint64_t first = std::uint64_t(chunk) * kChunkPlaces;
    for (std::uint64_t k = first; k < first + kChunkPlaces && k < codes.count; ++k) {
      const auto i = std::uint32_t(k);
      const CellsBegun cells = in_order.begun(i);
      for (int level = cells.first; level <= cells.last; ++level)
        write.node(next[level]++, i, level > 0 ? next[level - 1] - 1 : 0, codes.code[i], level);
      if (cells.leaf < 0) continue;
      write.leaf(next[kLeafRow]++, i, cells.leaf > 0 ? next[cells.leaf - 1] - 1 : 0, codes.code[i],
                 cells.leaf);
    }
  }
};

// Executors may have their own.
template <class Exec>
void count_cells(Exec& exec, const CountCells& work) {
  parallel_for(exec, "octree", work.chunks, work);
}
template <class Exec>
void write_cells(Exec& exec, const WriteChunk& work) {
  parallel_for(exec, "octree", work.chunks, work);
}

struct PickRowBegins {
  const std::uint32_t* before;
  std::size_t chunks;
  std::uint32_t* begin;
  HALOSCOPE_HD void operator()(std::size_t row) const { begin[row] = before[row * chunks]; }
};

// Nodes and leaves over sorted codes; the order and the sums are the caller's.
template <class Exec>
void build_from_codes(Exec& exec, const SortedCodes& codes, OctreeStore<Exec>& tree) {
  if (codes.count == 0) return;
  const std::size_t chunks = (std::size_t(codes.count) + kChunkPlaces - 1) / kChunkPlaces;
  const std::size_t cells = chunks * kCountRows;
  Buffer<std::uint32_t, Exec> counts(exec, cells + 1, "octree"),
      begins(exec, kCountRows + 1, "octree");
  exec.zero(counts.data() + cells, sizeof(std::uint32_t));
  count_cells(exec, CountCells{codes, chunks, counts.data()});
  thrust::exclusive_scan(exec.policy(), counts.begin(), counts.end(), counts.begin());
  parallel_for(exec, "octree", kCountRows + 1, PickRowBegins{counts.data(), chunks, begins.data()});
  std::array<std::uint32_t, kCountRows + 1> begin{};
  exec.download(begin.data(), begins.data(), sizeof(begin));
  tree.set_levels(begin.data());
  tree.make_room(exec, begin[kLeafRow], begin[kCountRows] - begin[kLeafRow]);
  write_cells(exec,
              WriteChunk{codes,
                         chunks,
                         counts.data(),
                         begin[kLeafRow],
                         {tree.nodes.data(), tree.node_begin.data(), tree.leaf_begin.data()}});
}

}  // namespace haloscope::compute::spatial
