#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/map_words.inl"
#include "compute/hierarchy/components.inl"
#include "compute/topology/cell_set.inl"
#include "compute/topology/grid_blocks.h"
#include "core/error.h"

#include <thrust/copy.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Ways up from block to block, for either executor. In its block a way ends at a maximum or in the
// rim. There it has a code, which stands for a cell of another block; that cell has a basin or a
// code in turn. When all blocks have been looked at, the codes are followed.
namespace haloscope::compute::topology {

// Ways of a block end at the cells of its rim. None of these is a saddle of the block.
struct EndAtRim {
  std::uint32_t own_begin, own;
  std::uint32_t* up;
  CellSetView maxima, saddles;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto k = std::uint32_t(i), v = k < own_begin ? k : k + own;
    up[v] = v;
    maxima.add(v);
    saddles.remove(v);
  }
};

// Codes count downwards from the largest number, basins upwards from 0.
struct RimCode {
  std::uint32_t slots;  // of all blocks
  HALOSCOPE_HD static std::uint32_t of(std::uint32_t slot) { return kNone - 1 - slot; }
  HALOSCOPE_HD bool is_code(std::uint32_t word) const {
    return word != kNone && kNone - 1 - word < slots;
  }
  HALOSCOPE_HD static std::uint32_t slot(std::uint32_t code) { return kNone - 1 - code; }
};

// From the maxima of a block, the cells of its rim among them, to basins of the grid and codes.
struct EncodeBasins {
  const std::uint32_t* number;  // of each own cell
  std::uint32_t rim_before, count, first_basin, first_slot;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t n = number[i];
    if (n == kNone)
      to[i] = kNone;
    else if (n < rim_before)
      to[i] = RimCode::of(first_slot + n);
    else if (n - rim_before < count)
      to[i] = first_basin + (n - rim_before);
    else
      to[i] = RimCode::of(first_slot + (n - count));
  }
};

// Goes on from slot to slot. A way that is too long is left for another pass, shorter by this
// factor.
struct FollowCodes {
  static constexpr int kSteps = 64;
  RimCode code;
  std::uint32_t* target;
  std::uint32_t* is_unfinished;
  HALOSCOPE_HD void operator()(std::size_t slot) const {
    std::uint32_t to = atomic_load(target + slot);
    for (int step = 0; step < kSteps && code.is_code(to); ++step)
      to = atomic_load(target + RimCode::slot(to));
    atomic_store(target + slot, to);
    if (code.is_code(to)) atomic_store(is_unfinished, 1);
  }
};

struct DecodeBasin {
  RimCode code;
  const std::uint32_t* target;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t word) const {
    return code.is_code(word) ? target[RimCode::slot(word)] : word;
  }
};

// A number of each cell of a grid. In blocks with planes of the other end before and behind, so
// that each block finds its rim beside it.
template <class Exec>
struct CellCodes {
  std::uint64_t cells = 0;
  std::uint64_t before = 0;  // numbers before those of the first cell, a multiple of four
  Buffer<std::uint32_t, Exec> numbers;

  bool empty() const { return numbers.empty(); }
  std::uint32_t* data() { return numbers.data() + before; }
  const std::uint32_t* data() const { return numbers.data() + before; }
  // By the cells' numbers in a block.
  const std::uint32_t* of_block(const GridBlock& block) const {
    return data() + std::int64_t(block.shift());
  }
};

template <class Exec>
class RimCodes {
 public:
  // `number`: of each cell of the block, by its maxima, `count` of which are its own; the grid has
  // `basins` already. Throws Error where numbers end.
  void add(Exec& exec, const std::vector<GridBlock>& blocks, const GridBlock& block,
           Buffer<std::uint32_t, Exec> number, std::uint32_t count, std::uint32_t basins) {
    if (blocks.size() == 1) {
      codes_ = {block.cells, 0, std::move(number)};
      return;
    }
    if (codes_.empty()) begin(exec, blocks);
    if (std::uint64_t(basins) + count + slots_ >= kNone)
      throw Error(
          "the maxima of a grid in blocks, and the cells at the ends of these, are more than "
          "32 bits count",
          "merge tree", "smooth the grid or give a threshold");
    parallel_for(exec, "basins", block.own(),
                 EncodeBasins{number.data() + block.own_begin(), block.own_begin(), count, basins,
                              first_slot_, codes_.data() + block.first});
    first_slot_ += block.view.count() - block.own();
  }

  CellCodes<Exec> make(Exec& exec, const std::vector<GridBlock>& blocks) {
    if (blocks.size() > 1) {
      follow(exec, blocks);
      wrap(exec, blocks.front());
    }
    return std::move(codes_);
  }

 private:
  void begin(Exec& exec, const std::vector<GridBlock>& blocks) {
    const std::uint64_t plane = blocks.front().view.plane();
    codes_.cells = blocks.front().cells;
    codes_.before = (plane + 3) / 4 * 4;
    codes_.numbers =
        Buffer<std::uint32_t, Exec>(exec, codes_.before + codes_.cells + plane, "basins");
    for (const GridBlock& block : blocks) slots_ += block.view.count() - block.own();
  }

  void follow(Exec& exec, const std::vector<GridBlock>& blocks) {
    Buffer<std::uint32_t, Exec> target(exec, slots_, "basins"), flag(exec, 1, "basins");
    std::uint32_t* to = target.data();
    for (const GridBlock& block : blocks) {
      const std::uint64_t plane = block.view.plane(), end = block.first + block.own();
      const auto take = [&](std::uint64_t cell) {
        thrust::copy_n(exec.policy(), codes_.data() + cell, plane, to);
        to += plane;
      };
      if (block.view.rim[0]) take((block.first > 0 ? block.first : codes_.cells) - plane);
      if (block.view.rim[1]) take(end < codes_.cells ? end : 0);
    }
    const RimCode code{std::uint32_t(slots_)};
    do {
      exec.zero(flag.data(), sizeof(std::uint32_t));
      parallel_for(exec, "basins", slots_, FollowCodes{code, target.data(), flag.data()});
    } while (hierarchy::is_set(exec, flag.data()));
    map_words(exec, "basins", codes_.cells, codes_.data(), codes_.data(),
              DecodeBasin{code, target.data()});
    exec.synchronize();
  }

  void wrap(Exec& exec, const GridBlock& first) {
    if (!first.view.rim[0]) return;
    const std::uint64_t plane = first.view.plane();
    const std::uint32_t* const from = codes_.data();
    thrust::copy_n(exec.policy(), from + codes_.cells - plane, plane, codes_.data() - plane);
    thrust::copy_n(exec.policy(), from, plane, codes_.data() + codes_.cells);
  }

  CellCodes<Exec> codes_;
  std::uint64_t slots_ = 0;
  std::uint32_t first_slot_ = 0;
};

}  // namespace haloscope::compute::topology
