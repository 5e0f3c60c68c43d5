#include "compute/spatial/nearest_group_cpu.h"

#include "core/simd_clones.h"

#include <algorithm>
#include <bit>

namespace haloscope::compute::spatial {

namespace {

std::uint64_t squared_gap(std::uint32_t low, std::uint32_t high, std::uint32_t other_low,
                          std::uint32_t other_high) {
  if (other_low - low <= high - low || low - other_low <= other_high - other_low) return 0;
  const std::uint32_t before = low - other_high, behind = other_low - high;
  const std::uint64_t gap = std::min(before, behind);
  return gap * gap;
}

// Between the nearest places of two boxes.
template <class Box>
std::uint64_t squared_gap(const BvhBox& a, const Box& b) {
  return squared_gap(a.low[0], a.high[0], b.low[0], b.high[0]) +
         squared_gap(a.low[1], a.high[1], b.low[1], b.high[1]) +
         squared_gap(a.low[2], a.high[2], b.low[2], b.high[2]);
}

// Points that may be near, and how far they are from the place that is being looked from.
class Candidates {
 public:
  static constexpr std::uint32_t kMost = 4096;

  std::uint32_t count() const { return count_; }
  void shrink(std::uint32_t count) { count_ = count; }
  bool has_room_for(std::uint32_t n) const { return n <= kMost - count_; }
  void add(const CellPoint* points, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      x_[count_ + i] = points[i].x;
      y_[count_ + i] = points[i].y;
      z_[count_ + i] = points[i].z;
    }
    count_ += n;
  }

  // To be called before the functions below.
  void look_from(const CellPoint& place) {
    const std::uint32_t padded = (count_ + kVector - 1) / kVector * kVector;
    for (std::uint32_t i = 0; i < padded; ++i) {
      const float dx = float(std::int32_t(x_[i] - place.x)),
                  dy = float(std::int32_t(y_[i] - place.y)),
                  dz = float(std::int32_t(z_[i] - place.z));
      rough_[i] = std::bit_cast<std::int32_t>(dx * dx + dy * dy + dz * dz);
    }
    for (std::uint32_t i = count_; i < padded; ++i) rough_[i] = kBeyond;
    padded_ = padded;
    place_ = place;
  }

  // A squared distance that about `rank` candidates are within, at least those.
  float roughly_ranked(std::uint32_t rank, float guess) const {
    return std::bit_cast<float>(bracket(rank, guess, 1 + rank / 8).high);
  }

  // The squared distance of the `rank`-th nearest candidate, 1 ≤ rank ≤ count(), exactly. `guess`
  // is about that, or wrong.
  std::uint64_t ranked(std::uint32_t rank, float guess) {
    const Bracket b = bracket(rank, guess, 3);
    // Rough distances are off by less than 6 · 2⁻²⁴ of them: coordinates are rounded, which counts
    // twice, their squares, and two sums. The exact one that is asked for is within that of the
    // bracket; whatever is outside by three times that is on the same side of it. A unit in the
    // last place is 2⁻²⁴ at least.
    constexpr std::int32_t kUnsure = 18;
    const std::int32_t low = std::max(b.low - kUnsure, 0), high = b.high + kUnsure;
    const std::uint32_t unsure = find_between(low, high);
    std::uint64_t* const nth = exact_ + (rank - count_below(low) - 1);
    std::nth_element(exact_, nth, exact_ + unsure);
    return *nth;
  }

 private:
  static constexpr std::uint32_t kVector = 16;
  // More than any distance. Bits of float32 have the order of what they stand for.
  static constexpr std::int32_t kBeyond = 0x7f000000;

  // Fewer than `rank` candidates are below `low`, `rank` or more below `high`.
  struct Bracket {
    std::int32_t low, high;
  };

  // With no more than `few` between, unless they are equal. Numbers grow smoothly with distance, so
  // that interpolation takes a few steps; halving now and then what is left bounds them.
  Bracket bracket(std::uint32_t rank, float guess, std::uint32_t few) const {
    Bracket b{0, kBeyond};
    std::uint32_t below_low = 0, below_high = count_;
    float pivot = std::max(guess, 1.f);
    for (int step = 1; (below_high - below_low > few || b.high == kBeyond) && b.high - b.low > 1;
         ++step) {
      const bool halve = step % 4 == 0 && b.high != kBeyond;
      const std::int32_t at =
          halve ? b.low + (b.high - b.low) / 2
                : std::clamp(std::bit_cast<std::int32_t>(pivot), b.low + 1, b.high - 1);
      const std::uint32_t below = count_below(at);
      if (below < rank) {
        b.low = at;
        below_low = below;
      } else {
        b.high = at;
        below_high = below;
      }
      const float low = std::bit_cast<float>(b.low), high = std::bit_cast<float>(b.high);
      const float part = (float(rank - below_low) - 0.5f) / float(below_high - below_low);
      pivot = b.high == kBeyond ? 4 * low : low + (high - low) * part;
    }
    return b;
  }

  std::uint32_t count_below(std::int32_t limit) const {
    std::int32_t count = 0;
    const std::uint32_t padded = padded_;
    for (std::uint32_t i = 0; i < padded; ++i) count += rough_[i] < limit;
    return std::uint32_t(count);
  }

  // Puts exact distances of those from `low` to `high` into exact_ and returns how many.
  std::uint32_t find_between(std::int32_t low, std::int32_t high) {
    const std::uint32_t padded = padded_;
    std::uint32_t found = 0;
    for (std::uint32_t begin = 0; begin < padded; begin += kVector) {
      std::int32_t some = 0;
      for (std::uint32_t i = begin; i < begin + kVector; ++i)
        some += (rough_[i] >= low) & (rough_[i] <= high);
      if (some == 0) continue;
      for (std::uint32_t i = begin; i < begin + kVector; ++i)
        if (rough_[i] >= low && rough_[i] <= high)
          exact_[found++] = squared_distance(place_, CellPoint{x_[i], y_[i], z_[i], 0});
    }
    return found;
  }

  std::uint32_t count_ = 0, padded_ = 0;
  CellPoint place_{};
  alignas(64) std::uint32_t x_[kMost] = {}, y_[kMost] = {}, z_[kMost] = {};
  alignas(64) std::int32_t rough_[kMost];
  std::uint64_t exact_[kMost];
};

class GroupSearch {
 public:
  static constexpr std::uint32_t kMost = 32;  // points of a group

  GroupSearch(const LbvhView<CellPoint>& tree, int k, float* squared)
      : tree_(tree), k_(k), rank_(std::uint32_t(k) + 1), squared_(squared) {}

  // All leaves below a node, begin … end − 1.
  void search(std::uint32_t begin, std::uint32_t end) {
    if (!start(begin, end)) return search_each();
    // Of those of round one the farthest k-th neighbor tells how far round two must look.
    while (targets_count_ > 0) {
      if (!gather()) return search_each();
      finish_targets();
    }
  }

 private:
  bool start(std::uint32_t begin, std::uint32_t end) {
    targets_count_ = 0;
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) add_target(leaf);
    const std::uint32_t around = std::uint32_t(k_) / 2 + 1;
    window_begin_ = begin > around ? begin - around : 0;
    window_end_ = tree_.count - end > around ? end + around : tree_.count;
    if (window_end_ < rank_) window_end_ = rank_;
    if (window_end_ - window_begin_ < rank_) window_begin_ = window_end_ - rank_;
    near_.shrink(0);
    near_.add(tree_.leaves + window_begin_, window_end_ - window_begin_);
    // What the middle of the group sees is about what its points see.
    const BvhBox group = box_;
    CellPoint middle{0, 0, 0, 0};
    middle.x = group.low[0] + (group.high[0] - group.low[0]) / 2;
    middle.y = group.low[1] + (group.high[1] - group.low[1]) / 2;
    middle.z = group.low[2] + (group.high[2] - group.low[2]) / 2;
    near_.look_from(middle);
    guess_ = near_.roughly_ranked(rank_, guess_);
    reach_ = steps(guess_);
    box_ = box_of(middle);
    if (!gather()) return false;
    near_.look_from(middle);
    guess_ = near_.roughly_ranked(rank_, guess_);
    reach_ = steps(kLoose * guess_);
    box_ = group;
    return true;
  }

  static std::uint64_t steps(float squared) {
    return std::uint64_t(std::min(squared, 0x1.fffffep63f));
  }

  void add_target(std::uint32_t leaf) {
    const BvhBox point = box_of(tree_.leaves[leaf]);
    if (targets_count_ == 0)
      box_ = point;
    else
      widen(box_, point);
    targets_[targets_count_++] = leaf;
  }

  void finish_targets() {
    const std::uint32_t count = targets_count_;
    std::uint64_t farthest = 0;
    targets_count_ = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
      const CellPoint point = tree_.leaves[targets_[t]];
      near_.look_from(point);
      const std::uint64_t kth = near_.ranked(rank_, guess_);
      guess_ = float(kth);
      if (kth <= reach_) {
        squared_[point.index] = float(kth);
        continue;
      }
      farthest = std::max(farthest, kth);
      add_target(targets_[t]);
    }
    reach_ = farthest;
  }

  // Where there are too many near ones.
  void search_each() {
    for (std::uint32_t t = 0; t < targets_count_; ++t) {
      const FindKth<HeapedNearest<Neighbors::kMostNeighbors>> find{tree_, k_, 0, squared_};
      find(targets_[t]);
    }
    targets_count_ = 0;
  }

  // The leaves of the window, and all others less than reach_ from box_. False where those are too
  // many.
  bool gather() {
    near_.shrink(window_end_ - window_begin_);
    return (window_end_ == tree_.count ||
            walk(tree_.after(window_end_ - 1), window_end_, tree_.count)) &&
           (window_begin_ == 0 || walk(tree_.root(), 0, window_begin_));
  }

  // The leaves from `at` on, the first of which is `begin`, up to `end`.
  bool walk(NodeRef at, std::uint32_t begin, std::uint32_t end) {
    while (begin < end) {
      std::uint32_t next = begin + 1;
      if (at & kLeaf) {
        at = tree_.after(begin);
      } else {
        const BvhNode& node = tree_.nodes[at];
        next = node.rope == kEnd ? tree_.count : node.rope & ~kLeaf;
        if (squared_gap(box_, node) >= reach_) {
          at = node.rope;
          begin = next;
          continue;
        }
        if (next - begin > kWhole) {
          at = node.left;
          continue;
        }
        at = node.rope;
      }
      next = std::min(next, end);
      if (!near_.has_room_for(next - begin)) return false;
      near_.add(tree_.leaves + begin, next - begin);
      begin = next;
    }
    return true;
  }

  static constexpr std::uint32_t kWhole = 8;
  static constexpr float kLoose = 1.4f;

  const LbvhView<CellPoint>& tree_;
  const int k_;
  const std::uint32_t rank_;  // a point is the nearest to itself
  float* const squared_;
  std::uint32_t targets_[kMost], targets_count_ = 0;
  BvhBox box_;
  std::uint32_t window_begin_ = 0, window_end_ = 0;
  float guess_ = 1;
  std::uint64_t reach_ = 0;
  Candidates near_;
};

}  // namespace

HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void find_kth_of_leaves(
    const LbvhView<CellPoint>& tree, int k, std::uint32_t first, std::uint32_t end,
    float* squared) {
  GroupSearch search(tree, k, squared);
  NodeRef at = first == 0 ? tree.root() : tree.after(first - 1);
  while (first < end) {
    std::uint32_t next = first + 1;
    if (at & kLeaf) {
      at = tree.after(first);
    } else {
      const BvhNode& node = tree.nodes[at];
      next = node.rope == kEnd ? tree.count : node.rope & ~kLeaf;
      if (next - first > GroupSearch::kMost) {
        at = node.left;
        continue;
      }
      at = node.rope;
    }
    search.search(first, std::min(next, end));
    first = next;
  }
}

}  // namespace haloscope::compute::spatial
