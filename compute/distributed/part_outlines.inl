#pragma once

#include "compute/distributed/device_pieces.inl"
#include "compute/distributed/part_places.inl"
#include "compute/exec/slices.inl"

#include <algorithm>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// The outlines of all ranks' parts: the upper levels of their trees of boxes, which are trees too.
template <int D, class Exec>
class OutlinesOfRanks {
 public:
  // All ranks call it, each with its own tree.
  void share(const spatial::BlockTree<D, Exec>& own, Ranks& ranks, DevicePieces<Exec>& pieces) {
    for (int level = 0; own.count > 0; ++level) {
      if (own.levels.blocks[level] > most_blocks(own.count)) continue;
      own_begin_ = own.levels.begin[level];
      own_blocks_ = own.levels.blocks[level];
      break;
    }
    const auto blocks = ranks.all_gather<std::uint32_t>(std::span(&own_blocks_, 1));
    std::size_t begin = 0;
    for (std::size_t r = 0; r < blocks.size(); ++r) {
      const spatial::BlockLevels levels = levels_above(blocks[r]);
      // Nobody looks at its own.
      levels_.push_back(int(r) == ranks.rank() ? spatial::BlockLevels{} : levels);
      begins_.push_back(begin);
      sizes_.push_back(levels.all());
      begin += levels.all();
    }
    boxes_ = pieces.gather_all(own.boxes.data() + own_begin_, sizes_);
  }
  // The components of the blocks of the own tree; null there: it has no points.
  void share_colors(const std::uint32_t* block_color, DevicePieces<Exec>& pieces) {
    colors_ = pieces.gather_all(block_color + own_begin_, sizes_);
  }

  std::size_t ranks() const { return begins_.size(); }
  OutlineView<D> of(std::size_t rank) const {
    const std::size_t begin = begins_[rank];
    return {{nullptr, boxes_.data() + begin, 0, levels_[rank]},
            colors_.empty() ? nullptr : colors_.data() + begin};
  }

  // How far each point of the own tree is from all others' boxes, squared, or a little less.
  Buffer<std::uint64_t, Exec> ways_from(Exec& exec, const spatial::BlockTree<D, Exec>& own) const {
    constexpr int kHighest = 4;  // level of the largest blocks that are looked at, of 32768 points
    Buffer<std::uint64_t, Exec> squared(exec, own.count, "ways to other ranks");
    if (own.count == 0) return squared;
    std::vector<OutlineView<D>> views;
    for (std::size_t r = 0; r < ranks(); ++r) views.push_back(of(r));
    const auto on_device = upload(exec, views, "boxes of other ranks");
    const NearestBox<D> others{on_device.data(), int(views.size())};
    Buffer<BlockWay, Exec> ways(exec, own.levels.all(), "ways to other ranks");
    const int top = std::min(kHighest, own.levels.count - 1);
    for (int level = top; level >= 0; --level)
      parallel_for(exec, "ways", own.levels.blocks[level],
                   WaysOfBlocks<D>{own.view(), others, level, top, ways.data()});
    parallel_for(exec, "ways", own.count,
                 WaysOfPoints<D>{own.view(), others, ways.data(), squared.data()});
    exec.synchronize();
    return squared;
  }

 private:
  // Finer boxes send fewer questions to other ranks, and more memory: so many boxes, and of many
  // points as many as there are stretches of so many each.
  static std::uint32_t most_blocks(std::uint32_t points) {
    constexpr std::uint32_t kMost = 32768, kPointsOfBlock = 512;
    return std::max(kMost, points / kPointsOfBlock);
  }
  static spatial::BlockLevels levels_above(std::uint32_t blocks) {
    spatial::BlockLevels levels;
    std::uint32_t begin = 0;
    for (; blocks > 0; blocks = (blocks + kFan - 1) / kFan) {
      levels.begin[levels.count] = begin;
      levels.blocks[levels.count] = blocks;
      ++levels.count;
      begin += blocks;
      if (blocks == 1) break;
    }
    return levels;
  }

  std::uint32_t own_blocks_ = 0;
  std::size_t own_begin_ = 0;
  Buffer<LatticeBox<D>, Exec> boxes_;
  Buffer<std::uint32_t, Exec> colors_;  // of the boxes; none: not known yet
  std::vector<spatial::BlockLevels> levels_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> sizes_;  // of each rank's outline, its boxes
};

}  // namespace haloscope::compute::distributed
