#include "compute/clusters/nearest_lists_cpu.h"

#include "core/simd_clones.h"

#include <cmath>

// Also what is called must be compiled for each processor.
#if defined(__GNUC__) && !defined(__clang__)
#define HALOSCOPE_ALL_INLINE __attribute__((flatten))
#else
#define HALOSCOPE_ALL_INLINE
#endif

namespace haloscope::compute::clusters {

namespace {

using spatial::kFan;
using spatial::LatticeBox;
using spatial::LatticePoint;

// A word for each point of a block. Loops over them are unrolled and not made vectors of.
using Floats = float __attribute__((vector_size(4 * kFan)));
using Words = std::uint32_t __attribute__((vector_size(4 * kFan)));
using Integers = std::int32_t __attribute__((vector_size(4 * kFan)));

// The points of a block, one per lane. Lanes without a point want nothing. What is wanted is told
// by distances in float32, which are off by at most D + 2 times 2⁻²⁴ of them: coordinates are
// rounded, which counts twice, their squares, and the sums, one for each further dimension. The
// limit is rounded twice. What passes is measured in whole numbers.
template <int D>
class BlockLists {
 public:
  static constexpr int kMost = 16;
  static constexpr float kUnsure = 1 + 0x1p-20f;
  static_assert(D + 4 < 16);

  BlockLists(const BlockTreeView<D>& tree, int k, std::uint32_t block)
      : tree_(tree), k_(k), first_(block * kFan), count_(tree.end_of(block) - first_) {
    for (std::uint32_t l = 0; l < kFan; ++l) {
      const LatticePoint<D>& point = tree.points[first_ + (l < count_ ? l : 0)];
      for (int a = 0; a < D; ++a) at_[a][l] = point.at[a];
      limit_[l] = l < count_ ? HUGE_VALF : 0;
      for (int n = 0; n < k; ++n) squared_[l][n] = kFarAway;
    }
  }

  void find() {
    see(first_ / kFan);
    walk_around(
        tree_, 0, first_ / kFan, [this](std::uint32_t box) { return wants(tree_.boxes[box]); },
        [this](std::uint32_t block) {
          see(block);
          return true;
        });
  }

  void write(std::uint32_t* neighbors) const {
    for (int n = 0; n < k_; ++n)
      for (std::uint32_t l = 0; l < count_; ++l)
        neighbors[std::size_t(n) * tree_.count + first_ + l] = place_[l][n];
  }

 private:
  bool wants(const LatticeBox<D>& box) const {
    Floats squared{};
    for (int a = 0; a < D; ++a) {
      const std::uint32_t width = box.high[a] - box.low[a];
      const Words inside = at_[a] - box.low[a], before = 0 - inside, behind = inside - width;
      const Words nearer = before < behind ? before : behind;
      const Words gap = inside <= width ? Words{} : nearer;
      // 2³¹ becomes −2³¹, whose square is the same.
      const Floats rough =
          __builtin_convertvector(Integers(gap) >> std::int32_t(box.shift(a)), Floats);
      squared += rough * rough;
    }
    return any(squared < limit_);
  }

  static bool any(const Integers& mask) {
    std::uint32_t bits = 0;
    for (std::uint32_t l = 0; l < kFan; ++l) bits |= std::uint32_t(mask[l]);
    return bits != 0;
  }

  void see(std::uint32_t block) {
    for (std::uint32_t j = block * kFan, end = tree_.end_of(block); j < end; ++j) {
      const LatticePoint<D>& point = tree_.points[j];
      Floats rough{};
      for (int a = 0; a < D; ++a) {
        const Floats d = __builtin_convertvector(
            Integers(at_[a] - point.at[a]) >> std::int32_t(point.shift(a)), Floats);
        rough += d * d;
      }
      const Integers mask = rough < limit_;
      if (!any(mask)) continue;
      for (std::uint32_t l = 0; l < kFan; ++l)
        if (mask[l] && j != first_ + l) insert(l, j);
    }
  }

  void insert(std::uint32_t l, std::uint32_t place) {
    const std::uint64_t squared = squared_between(tree_.points[first_ + l], tree_.points[place]);
    if (squared >= squared_[l][k_ - 1]) return;
    int at = k_ - 1;
    for (; at > 0 && squared_[l][at - 1] > squared; --at) {
      squared_[l][at] = squared_[l][at - 1];
      place_[l][at] = place_[l][at - 1];
    }
    squared_[l][at] = squared;
    place_[l][at] = place;
    if (squared_[l][k_ - 1] != kFarAway) limit_[l] = float(squared_[l][k_ - 1]) * kUnsure;
  }

  const BlockTreeView<D>& tree_;
  const int k_;
  const std::uint32_t first_, count_;
  Words at_[D];
  Floats limit_;
  std::uint64_t squared_[kFan][kMost];
  std::uint32_t place_[kFan][kMost] = {};
};

template <int D>
inline void list_block(const BlockTreeView<D>& tree, int k, std::uint32_t block,
                       std::uint32_t* neighbors) {
  BlockLists<D> lists(tree, k, block);
  lists.find();
  lists.write(neighbors);
}

}  // namespace

HALOSCOPE_SIMD_CLONES HALOSCOPE_ALL_INLINE void list_nearest_of_block(const BlockTreeView<3>& tree,
                                                                      int k, std::uint32_t block,
                                                                      std::uint32_t* neighbors) {
  list_block(tree, k, block, neighbors);
}

HALOSCOPE_SIMD_CLONES HALOSCOPE_ALL_INLINE void list_nearest_of_block(const BlockTreeView<6>& tree,
                                                                      int k, std::uint32_t block,
                                                                      std::uint32_t* neighbors) {
  list_block(tree, k, block, neighbors);
}

HALOSCOPE_SIMD_CLONES HALOSCOPE_ALL_INLINE void list_nearest_of_block(const BlockTreeView<8>& tree,
                                                                      int k, std::uint32_t block,
                                                                      std::uint32_t* neighbors) {
  list_block(tree, k, block, neighbors);
}

}  // namespace haloscope::compute::clusters
