#pragma once

#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/rank_buffers.inl"
#include "compute/exec/buffer.h"
#include "compute/exec/map_words.inl"
#include "compute/hierarchy/components.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/rims.inl"
#include "core/error.h"

#include <thrust/copy.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// The basin of each cell of a rank's slab, for either executor. Ways up that end in the rim of a
// block have codes (rims.inl). The codes of all rims of all ranks are gathered on all ranks and
// followed there.
namespace haloscope::compute::distributed {

// From basins that a rank counts to those of all ranks; codes stay.
struct CountFrom {
  topology::RimCode code;
  std::uint32_t first;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t word) const {
    return word == topology::kNone || code.is_code(word) ? word : word + first;
  }
};

struct CopySlabWords {
  const std::uint32_t* from;
  std::uint32_t* to;
  CountFrom change;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = change(from[i]); }
};

// The same where codes have been followed.
struct BasinOfWord {
  CountFrom change;
  const std::uint32_t* target;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t word) const {
    return change.code.is_code(word) ? target[topology::RimCode::slot(word)] : change(word);
  }
};

template <class Exec>
class SlabBasins {
 public:
  SlabBasins() = default;
  // Throws Error where numbers end.
  SlabBasins(Exec& exec, const GridSlabs& slabs, int rank) : slabs_(&slabs), rank_(rank) {
    slots_ = slabs.rims_before(slabs.size());
    require_countable(0);
    code_ = {std::uint32_t(slots_)};
    next_slot_ = std::uint32_t(slabs.rims_before(rank));
    // map_words() wants the first cell at a multiple of 16 bytes.
    before_ = (slabs.plane() + 3) / 4 * 4;
    if (slabs.cells(rank) > 0)
      numbers_ = Buffer<std::uint32_t, Exec>(
          exec, std::size_t(before_ + slabs.cells(rank) + slabs.plane()), "basins");
  }

  // Of the first cell of the slab and the next ones; those beside the slab lie around them.
  const std::uint32_t* data() const { return first(numbers_.data()); }
  // By the cells' numbers in a block.
  const std::uint32_t* of_block(const topology::GridBlock& block) const {
    return data() + std::int64_t(block.shift() - slabs_->first_cell(rank_));
  }

  // The blocks of the rank one after another. `number`: of each cell of the block, by its maxima,
  // `count` of which are its own; the blocks before it have `basins`.
  void add(Exec& exec, const topology::GridBlock& block, Buffer<std::uint32_t, Exec> number,
           std::uint32_t count, std::uint32_t basins) {
    require_countable(std::uint64_t(basins) + count);
    parallel_for(
        exec, "basins", block.own(),
        topology::EncodeBasins{number.data() + block.own_begin(), block.own_begin(), count, basins,
                               next_slot_, begin() + (block.first - slabs_->first_cell(rank_))});
    next_slot_ += block.view.count() - block.own();
    exec.synchronize();
  }

  // Of all `basins` this rank's are those from `first` on. All ranks call it.
  void share(Exec& exec, Ranks& ranks, DeviceRanks& wire, std::uint32_t first,
             std::uint32_t basins) {
    require_countable(basins);
    if (slots_ == 0) return;
    const CountFrom change{code_, first};
    const auto target =
        follow(exec, all_gather(exec, ranks, wire, own_rims(exec, wire, change), "basins"));
    const std::size_t cells = slabs_->cells(rank_), plane = slabs_->plane();
    if (cells == 0) return;
    map_words(exec, "basins", cells, data(), begin(), BasinOfWord{change, target.data()});
    const std::uint32_t* const of_rank = target.data() + slabs_->rims_before(rank_);
    if (slabs_->has_beside(rank_, 0))
      thrust::copy_n(exec.policy(), of_rank, plane, begin() - plane);
    if (slabs_->has_beside(rank_, 1))
      thrust::copy_n(exec.policy(), of_rank + slabs_->rim(rank_) - plane, plane, begin() + cells);
    exec.synchronize();
  }

 private:
  std::uint32_t* begin() { return first(numbers_.data()); }
  // A rank without cells has none.
  template <class T>
  T* first(T* numbers) const {
    return numbers ? numbers + before_ : nullptr;
  }

  void require_countable(std::uint64_t basins) const {
    if (basins + slots_ >= topology::kNone)
      throw Error(
          "the maxima of a grid over ranks, and the cells at the ends of their slabs, are more "
          "than 32 bits count",
          "merge tree", "smooth the grid or give a threshold");
  }

  // What stands in the rims of the rank's blocks.
  Buffer<std::uint32_t, Exec> own_rims(Exec& exec, DeviceRanks& wire, const CountFrom& change) {
    const std::size_t cells = slabs_->cells(rank_), plane = slabs_->plane();
    const std::size_t second = cells > 0 ? plane : 0, planes = 2 * second;
    Buffer<std::uint32_t, Exec> ends(exec, planes, "basins"), beside(exec, planes, "basins");
    if (cells > 0) {
      parallel_for(exec, "basins", plane, CopySlabWords{data(), ends.data(), change});
      parallel_for(exec, "basins", plane,
                   CopySlabWords{data() + cells - plane, ends.data() + plane, change});
    }
    exec.synchronize();
    slabs_->fetch_beside(wire, rank_, ends.data(), ends.data() + second, beside.data(),
                         beside.data() + second, sizeof(std::uint32_t));
    Buffer<std::uint32_t, Exec> rims(exec, std::size_t(slabs_->rim(rank_)), "basins");
    std::uint32_t* to = rims.data();
    const std::uint32_t* const read = std::as_const(beside).data();
    const auto inside = [&](std::uint64_t cell) {
      parallel_for(exec, "basins", plane, CopySlabWords{data() + cell, to, change});
    };
    for (const topology::GridBlock& block : slabs_->blocks(rank_)) {
      const std::uint64_t at = block.first - slabs_->first_cell(rank_), end = at + block.own();
      if (block.view.rim[0]) {
        if (at > 0)
          inside(at - plane);
        else
          thrust::copy_n(exec.policy(), read, plane, to);
        to += plane;
      }
      if (block.view.rim[1]) {
        if (end < cells)
          inside(end);
        else
          thrust::copy_n(exec.policy(), read + plane, plane, to);
        to += plane;
      }
    }
    exec.synchronize();
    return rims;
  }

  Buffer<std::uint32_t, Exec> follow(Exec& exec, Buffer<std::uint32_t, Exec> target) const {
    Buffer<std::uint32_t, Exec> flag(exec, 1, "basins");
    do {
      exec.zero(flag.data(), sizeof(std::uint32_t));
      parallel_for(exec, "basins", target.size(),
                   topology::FollowCodes{code_, target.data(), flag.data()});
    } while (hierarchy::is_set(exec, flag.data()));
    return target;
  }

  const GridSlabs* slabs_ = nullptr;
  int rank_ = 0;
  std::uint64_t slots_ = 0, before_ = 0;
  topology::RimCode code_{0};
  std::uint32_t next_slot_ = 0;
  Buffer<std::uint32_t, Exec> numbers_;  // kNone: the cell is not looked at
};

}  // namespace haloscope::compute::distributed
