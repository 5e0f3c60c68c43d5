#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/distributed/device_pieces.inl"
#include "compute/distributed/part_rounds.inl"
#include "compute/exec/buffer.h"

#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace haloscope::compute::distributed {

// The components of a rank's points and blocks in Borůvka's rounds, for either executor.
//
// Rounds go over the points near other ranks alone. Others keep the colors of the time when all
// were colored: none of them is the end of an edge within the limits of the components.
template <int D, class Exec>
class RoundColors {
 public:
  explicit RoundColors(Exec& exec) : exec_(exec) {}

  // `fragment`: of each point, by place; `component`: of each fragment. Both are read in each
  // round.
  void begin(const BlockTreeView<D>& tree, const std::uint32_t* fragment,
             const std::uint32_t* component) {
    tree_ = tree;
    fragment_ = fragment;
    component_ = component;
    color_ = room(tree.count);
    block_color_ = room(tree.levels.all());
    block_fragment_ = room(tree.count > 0 ? tree.levels.blocks[0] : 0);
    parallel_for(exec_, "colors", block_fragment_.size(),
                 clusters::ColorBlocks<D>{tree, fragment, block_fragment_.data()});
  }

  void forget() {
    known_ = false;
    bound_.reset();
    tree_ = {};
    fragment_ = component_ = nullptr;
    for (auto* words : {&color_, &block_color_, &block_fragment_, &near_}) *words = {};
  }

  bool known() const { return known_; }
  const std::uint32_t* of_points() const { return color_.data(); }
  const std::uint32_t* of_blocks() const { return block_color_.data(); }
  // By place.
  const Buffer<std::uint32_t, Exec>& near() const { return near_; }

  // At the begin of a round: of the points near other ranks, in the first round of all, and of all
  // blocks.
  void color() {
    if (known_)
      color_near();
    else
      color_all();
    parallel_for(exec_, "colors", block_fragment_.size(),
                 ColorBlocksOfFragments<D>{tree_, block_fragment_.data(), fragment_, component_,
                                           block_color_.data()});
    for (int level = 1; level < tree_.levels.count; ++level)
      parallel_for(exec_, "colors", tree_.levels.blocks[level],
                   clusters::ColorUpperBlocks{tree_.levels, level, block_color_.data()});
  }
  // For questions without a limit.
  void color_all() {
    known_ = true;
    parallel_for(exec_, "colors", color_.size(), colors());
  }
  // Those that have a link are near, and those within the largest limit that there was.
  void find_near(const PointLinks& links) {
    near_ = choose_numbers(exec_, std::uint32_t(color_.size()), IsNear{links, bound_.value_or(0)});
  }
  void reach(const PointLinks& links, const Buffer<std::uint64_t, Exec>& limits) {
    const std::uint64_t largest =
        thrust::reduce(exec_.policy(), limits.data(), limits.data() + limits.size(),
                       std::uint64_t(0), thrust::maximum<std::uint64_t>());
    if (bound_ && largest <= *bound_) return;
    bound_ = largest;
    find_near(links);
    color_near();
  }

 private:
  Buffer<std::uint32_t, Exec> room(std::size_t size) const {
    return Buffer<std::uint32_t, Exec>(exec_, size, "colors of components");
  }
  ColorFragments colors() { return {fragment_, component_, color_.data()}; }
  void color_near() {
    parallel_for(exec_, "colors", near_.size(), ColorPlaces{near_.data(), colors()});
  }

  Exec& exec_;
  BlockTreeView<D> tree_{};
  const std::uint32_t *fragment_ = nullptr, *component_ = nullptr;
  Buffer<std::uint32_t, Exec> color_, block_color_;  // by place, by block
  Buffer<std::uint32_t, Exec> block_fragment_;       // kNone: of several
  bool known_ = false;
  Buffer<std::uint32_t, Exec> near_;
  std::optional<std::uint64_t> bound_;  // none: nobody has asked
};

}  // namespace haloscope::compute::distributed
