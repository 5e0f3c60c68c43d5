#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/sort.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/points_view.h"
#include "core/host_device.h"

#include <thrust/sequence.h>

#include <cstddef>
#include <cstdint>

// A tree over points of D coordinates in the order of Hilbert's curve that needs no pointers: eight
// points that lie side by side are a block, eight such blocks a block of the next level, up to one
// that holds all. It takes 1/56 of the memory of a tree with a leaf per point, at the price of
// boxes that are a little wider.
//
// Coordinates are places in a lattice of 2³² steps that wrap, as in lbvh_traverse.h. Squared
// distances are exact in 64 bits where differences are below 2³¹ in four dimensions or fewer, and
// below 2³⁰ in up to eight.
//
// Of six coordinates the first three may have longer steps, by a power of two: positions of a
// periodic box, which wrap, beside velocities, which reach farther and do not.
namespace haloscope::compute::spatial {

// How many of the lowest bits of an axis are zeros, and are left out of differences.
template <int D>
struct AxisShift {
  HALOSCOPE_HD void set_shift(std::uint32_t) {}
  HALOSCOPE_HD std::uint32_t shift(int) const { return 0; }
};
template <>
struct AxisShift<6> {
  std::uint32_t bits;
  HALOSCOPE_HD void set_shift(std::uint32_t of_positions) { bits = of_positions; }
  HALOSCOPE_HD std::uint32_t shift(int axis) const { return axis < 3 ? bits : 0; }
};

template <int D>
struct LatticePoint : AxisShift<D> {
  std::uint32_t at[D];
  std::uint32_t row;
};

template <int D>
struct LatticeBox : AxisShift<D> {
  std::uint32_t low[D], high[D];
};

template <int D>
HALOSCOPE_HD std::uint64_t squared_between(const LatticePoint<D>& p, const LatticePoint<D>& q) {
  std::uint64_t sum = 0;
  for (int a = 0; a < D; ++a) {
    const std::int64_t d = std::int32_t(p.at[a] - q.at[a]) >> p.shift(a);
    sum += std::uint64_t(d * d);
  }
  return sum;
}

// From a point to the nearest place of a box.
template <int D>
HALOSCOPE_HD std::uint64_t squared_between(const LatticePoint<D>& p, const LatticeBox<D>& box) {
  std::uint64_t sum = 0;
  for (int a = 0; a < D; ++a) {
    const std::uint32_t v = p.at[a], low = box.low[a], high = box.high[a];
    if (v - low <= high - low) continue;
    const std::uint32_t before = low - v, behind = v - high;
    const std::uint64_t gap = (before < behind ? before : behind) >> p.shift(a);
    sum += gap * gap;
  }
  return sum;
}

// Between the nearest places of two boxes.
template <int D>
HALOSCOPE_HD std::uint64_t squared_between(const LatticeBox<D>& p, const LatticeBox<D>& q) {
  std::uint64_t sum = 0;
  for (int a = 0; a < D; ++a) {
    // They meet where the low end of one lies in the other.
    if (q.low[a] - p.low[a] <= p.high[a] - p.low[a] || p.low[a] - q.low[a] <= q.high[a] - q.low[a])
      continue;
    const std::uint32_t before = q.low[a] - p.high[a], behind = p.low[a] - q.high[a];
    const std::uint64_t gap = (before < behind ? before : behind) >> p.shift(a);
    sum += gap * gap;
  }
  return sum;
}

inline constexpr std::uint32_t kFan = 8;

struct BlockLevels {
  static constexpr int kMost = 11;  // 8¹¹ points
  int count = 0;
  std::uint32_t begin[kMost] = {};   // of each level among all blocks
  std::uint32_t blocks[kMost] = {};  // of each level, points' own first

  std::size_t all() const { return count == 0 ? 0 : begin[count - 1] + std::size_t(1); }
};

inline BlockLevels block_levels(std::uint32_t points) {
  BlockLevels levels;
  if (points == 0) return levels;
  std::uint32_t blocks = points, begin = 0;
  do {
    blocks = std::uint32_t((std::uint64_t(blocks) + kFan - 1) / kFan);
    levels.begin[levels.count] = begin;
    levels.blocks[levels.count] = blocks;
    ++levels.count;
    begin += blocks;
  } while (blocks > 1);
  return levels;
}

template <int D>
struct BlockTreeView {
  const LatticePoint<D>* points;
  const LatticeBox<D>* boxes;  // by level and place
  std::uint32_t count;
  BlockLevels levels;

  HALOSCOPE_HD std::uint32_t box(int level, std::uint32_t block) const {
    return levels.begin[level] + block;
  }
  HALOSCOPE_HD std::uint32_t end_of(std::uint32_t block) const {
    const std::uint64_t end = (std::uint64_t(block) + 1) * kFan;
    return end < count ? std::uint32_t(end) : count;
  }
};

// Calls see(block) for the blocks of points below one block, leaving out those of which wanted(box)
// says no; see returns false to stop. Returns false when stopped.
template <int D, class Wanted, class See>
HALOSCOPE_HD bool walk_block(const BlockTreeView<D>& tree, int top, std::uint32_t block,
                             const Wanted& wanted, const See& see) {
  int level = top;
  for (;;) {
    if (wanted(tree.box(level, block))) {
      if (level > 0) {
        --level;
        block *= kFan;
        continue;
      }
      if (!see(block)) return false;
    }
    for (;;) {
      if (level == top) return true;
      ++block;
      if (block % kFan != 0 && block < tree.levels.blocks[level]) break;
      block = (block - 1) / kFan;
      ++level;
    }
  }
}

// The same for all blocks but those below one, the ones next to it on the curve first: they are
// mostly near, so that what is wanted is soon little.
template <int D, class Wanted, class See>
HALOSCOPE_HD bool walk_around(const BlockTreeView<D>& tree, int level, std::uint32_t own,
                              const Wanted& wanted, const See& see) {
  for (; level + 1 < tree.levels.count; ++level) {
    const std::uint32_t first = own / kFan * kFan;
    for (std::uint32_t k = 0; k < kFan; ++k) {
      const std::uint32_t block = first + k;
      if (block != own && block < tree.levels.blocks[level] &&
          !walk_block(tree, level, block, wanted, see))
        return false;
    }
    own /= kFan;
  }
  return true;
}

// Calls see(i) for all points but those of the block `own`, as above.
template <int D, class Wanted, class See>
HALOSCOPE_HD void for_points_around(const BlockTreeView<D>& tree, std::uint32_t own,
                                    const Wanted& wanted, const See& see) {
  walk_around(tree, 0, own, wanted, [&](std::uint32_t block) {
    for (std::uint32_t i = block * kFan, end = tree.end_of(block); i < end; ++i) see(i);
    return true;
  });
}

// Bits of the code that each axis has.
template <int D>
inline constexpr int kCodeBits = 63 / D < 32 ? 63 / D : 32;

// The bits below `top` of all axes, as many as a code has, interleaved, the first axis highest.
template <int D>
HALOSCOPE_HD std::uint64_t interleaved(const std::uint32_t (&at)[D], int top) {
  std::uint64_t code = 0;
  const int end = top > kCodeBits<D> ? top - kCodeBits<D> : 0;
  if constexpr (D == 3 && kCodeBits<D> == 21) {
    const std::uint32_t bits = (std::uint32_t(1) << (top - end)) - 1;
    for (int a = 0; a < D; ++a) code = code << 1 | spread_bits(at[a] >> end & bits);
    return code;
  }
  for (int bit = top; bit-- > end;)
    for (int a = 0; a < D; ++a) code = code << 1 | ((at[a] >> bit) & 1);
  return code;
}

// Turns coordinates into ones whose interleaved bits are the place on Hilbert's curve (Skilling,
// AIP Conf. Proc. 707, 2004), right from the bit `lowest` on. Morton order jumps, and boxes of
// points around a jump are large: with it, lists of neighbors and searches took twice the time.
template <int D>
HALOSCOPE_HD void bend(std::uint32_t (&at)[D], int lowest) {
  for (int bit = 31; bit > lowest; --bit) {
    const std::uint32_t below = (std::uint32_t(1) << bit) - 1;
    for (int a = 0; a < D; ++a) {
      const std::uint32_t is_set = 0u - (at[a] >> bit & 1);
      const std::uint32_t exchanged = (at[0] ^ at[a]) & below & ~is_set;
      at[0] ^= exchanged | (below & is_set);
      at[a] ^= exchanged;
    }
  }
  for (int a = 1; a < D; ++a) at[a] ^= at[a - 1];
  // Each bit above `lowest` turns all bits below it: an odd number of them above a bit turns it.
  std::uint32_t turned = at[D - 1] & ~((std::uint32_t(2) << lowest) - 1);
  for (int step = 1; step < 32; step *= 2) turned ^= turned >> step;
  turned >>= 1;
  for (int a = 0; a < D; ++a) at[a] ^= turned;
}

template <int D>
struct Columns {
  const std::uint32_t* column[D];      // null: zeros
  const std::uint32_t* rows;           // ascending for those of one place; null: they lie by row
  std::uint32_t shift = 0;             // AxisShift
  const PointBlock* blocks = nullptr;  // of packed positions, in the first three columns
  HALOSCOPE_HD std::uint32_t coordinate(int a, std::uint32_t i) const {
    if (!column[a]) return 0;
    return blocks && a < 3 ? blocks[i / kPointBlock].coordinate(a, column[a][i]) : column[a][i];
  }
  HALOSCOPE_HD LatticePoint<D> point(std::uint32_t i) const {
    LatticePoint<D> p;
    p.set_shift(shift);
    for (int a = 0; a < D; ++a) p.at[a] = coordinate(a, i);
    p.row = rows ? rows[i] : i;
    return p;
  }
};

template <int D>
struct MakeCodes {
  Columns<D> columns;
  int top;
  const std::uint32_t* order;
  std::uint64_t* code;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    LatticePoint<D> point = columns.point(order[i]);
    for (int a = 0; a < D; ++a) point.at[a] >>= point.shift(a);
    bend<D>(point.at, top > kCodeBits<D> ? top - kCodeBits<D> : 0);
    code[i] = interleaved<D>(point.at, top);
  }
};

// Counts the points that have the code of the one before and another place, up to `most`.
template <int D>
struct CountMixedCodes {
  Columns<D> columns;
  const std::uint32_t* order;
  const std::uint64_t* code;
  std::uint32_t most;
  std::uint32_t* mixed;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (code[i] != code[i + 1] || atomic_load(mixed) >= most) return;
    const LatticePoint<D> p = columns.point(order[i]), q = columns.point(order[i + 1]);
    bool differ = false;
    for (int a = 0; a < D; ++a) differ = differ || p.at[a] != q.at[a];
    if (differ) atomic_add(mixed, 1);
  }
};

template <int D>
struct GatherLatticePoints {
  Columns<D> columns;
  const std::uint32_t* order;
  LatticePoint<D>* points;
  HALOSCOPE_HD void operator()(std::size_t i) const { points[i] = columns.point(order[i]); }
};

template <int D>
struct BoxPoints {
  BlockTreeView<D> tree;
  LatticeBox<D>* boxes;
  HALOSCOPE_HD void operator()(std::size_t block) const {
    const auto first = std::uint32_t(block) * kFan;
    LatticeBox<D> box;
    static_cast<AxisShift<D>&>(box) = tree.points[first];
    for (int a = 0; a < D; ++a) box.low[a] = box.high[a] = tree.points[first].at[a];
    for (std::uint32_t i = first + 1, end = tree.end_of(std::uint32_t(block)); i < end; ++i)
      for (int a = 0; a < D; ++a) {
        const std::uint32_t v = tree.points[i].at[a];
        box.low[a] = v < box.low[a] ? v : box.low[a];
        box.high[a] = v > box.high[a] ? v : box.high[a];
      }
    boxes[block] = box;
  }
};

template <int D>
struct BoxBlocks {
  BlockLevels levels;
  int level;  // of what is made
  LatticeBox<D>* boxes;
  HALOSCOPE_HD void operator()(std::size_t block) const {
    const LatticeBox<D>* const below = boxes + levels.begin[level - 1];
    const auto first = std::uint32_t(block) * kFan;
    LatticeBox<D> box = below[first];
    for (std::uint32_t k = 1; k < kFan && first + k < levels.blocks[level - 1]; ++k)
      for (int a = 0; a < D; ++a) {
        const LatticeBox<D>& other = below[first + k];
        box.low[a] = other.low[a] < box.low[a] ? other.low[a] : box.low[a];
        box.high[a] = other.high[a] > box.high[a] ? other.high[a] : box.high[a];
      }
    boxes[levels.begin[level] + block] = box;
  }
};

template <int D, class Exec>
struct BlockTree {
  std::uint32_t count = 0;
  BlockLevels levels;
  Buffer<LatticePoint<D>, Exec> points;  // in the order of the curve; those of one place by row
  Buffer<LatticeBox<D>, Exec> boxes;

  BlockTreeView<D> view() const { return {points.data(), boxes.data(), count, levels}; }
};

// Points in the order of the curve, those of one place by row. The upper bits of the axes tell
// nearly all points apart. Where they do not, as in a clump far from a stray particle, all bits are
// sorted by: a tree over points in no order would have boxes that all lie over one another.
template <int D, class Exec>
Buffer<std::uint32_t, Exec> order_points(Exec& exec, const Columns<D>& columns,
                                         std::uint32_t count) {
  Buffer<std::uint64_t, Exec> codes(exec, count, "Hilbert codes");
  Buffer<std::uint32_t, Exec> order(exec, count, "Hilbert order"), mixed(exec, 1, "Hilbert order");
  const auto sort_by = [&](int top) {
    parallel_for(exec, "Hilbert codes", count,
                 MakeCodes<D>{columns, top, order.data(), codes.data()});
    sort_pairs(exec, codes, order, kCodeBits<D> * D);
  };
  thrust::sequence(exec.policy(), order.begin(), order.end());
  sort_by(32);
  // A few such points cost less than sorting all again.
  const std::uint32_t few = count / 1000 + 1;
  exec.zero(mixed.data(), sizeof(std::uint32_t));
  parallel_for(exec, "Hilbert codes", count - 1,
               CountMixedCodes<D>{columns, order.data(), codes.data(), few, mixed.data()});
  std::uint32_t found = 0;
  exec.download(&found, mixed.data(), sizeof(found));
  if (found < few) return order;
  // From the lowest bits up, as each sort keeps the order of the one before.
  thrust::sequence(exec.policy(), order.begin(), order.end());
  for (int top = (31 / kCodeBits<D>)*kCodeBits<D>; top >= 0; top -= kCodeBits<D>) sort_by(32 - top);
  return order;
}

// Of `count` < 2³² − 1 points whose columns are on the executor.
template <int D, class Exec>
BlockTree<D, Exec> build_block_tree(Exec& exec, const Columns<D>& columns, std::uint32_t count) {
  BlockTree<D, Exec> tree;
  tree.count = count;
  tree.levels = block_levels(count);
  if (count == 0) return tree;
  {
    const Buffer<std::uint32_t, Exec> order = order_points(exec, columns, count);
    tree.points = Buffer<LatticePoint<D>, Exec>(exec, count, "sorted points");
    parallel_for(exec, "sorted points", count,
                 GatherLatticePoints<D>{columns, order.data(), tree.points.data()});
  }
  tree.boxes = Buffer<LatticeBox<D>, Exec>(exec, tree.levels.all(), "boxes");
  parallel_for(exec, "boxes", tree.levels.blocks[0], BoxPoints<D>{tree.view(), tree.boxes.data()});
  for (int level = 1; level < tree.levels.count; ++level)
    parallel_for(exec, "boxes", tree.levels.blocks[level],
                 BoxBlocks<D>{tree.levels, level, tree.boxes.data()});
  return tree;
}

}  // namespace haloscope::compute::spatial
