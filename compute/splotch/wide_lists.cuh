#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/cuda.h"
#include "compute/splotch/wide_tiles.cuh"

namespace haloscope::compute::splotch {

// Memory of lists that is kept between pictures: 7 MB of those of 2048² pixels on an H200, and at
// most 29.
struct ListMemory {
  // Of each tile; behind them its light, if it is summed, how many blocks are done, and a number
  // for who draws the lists.
  Buffer<unsigned, Cuda> counts;
  std::size_t zeros = 0;  // the first so many counts are 0
  // Of each tile: where the next splat goes; or, for each block that counts for itself, how many
  // splats of others go before its own.
  Buffer<unsigned, Cuda> places;
  Buffer<ListStart, Cuda> starts;
  Buffer<FilledLists, Cuda> filled;

  // Once all that reads the last lists is on the stream: sets the counts to 0 for the next ones,
  // which then need not wait for it.
  void clear(Cuda& exec);
};

// The splats of a list by the tiles that their discs touch. Those that were in the memory before
// are lost.
template <class S>
class WideLists {
 public:
  // Begins to count `count` splats, at least one, and where `sums_light` to sum about how much
  // light falls into each tile. `by_block`: each block of threads counts for itself, where it has
  // the memory for so many tiles; else all count together, which takes longer.
  WideLists(Cuda& exec, ListMemory& memory, const TilingStack& stack, const S* splats,
            unsigned count, bool sums_light, bool by_block = true);

  // The room that the lists need. Waits.
  ListRoom find_room() const;
  // Begins to list the splats in `room`, of less than 2³¹ places. What came of it is written to
  // `told` too, unless that is null.
  void fill(const ListRoom& room, FilledLists* told = nullptr);
  // What came of it. Waits.
  FilledLists wait_filled() const;

  // Once they are being filled.
  TileLists<S> lists() const {
    return {splats_, members_.data(), memory_.starts.data(), memory_.filled.data()};
  }
  // A number for who draws them; 0 to begin with.
  unsigned* left_count() { return memory_.counts.data() + words_ - 1; }
  const ListRoom& room() const { return room_; }
  TileLight light() const { return {light_, least_telling_}; }
  // Once all that reads them is on the stream.
  void forget_members() { members_ = {}; }

  const TilingStack& stack() const { return stack_; }
  const S* splats() const { return splats_; }
  unsigned count() const { return count_; }
  ListMemory& memory() { return memory_; }
  bool counts_by_block() const { return blocks_ > 0; }

 private:
  Cuda& exec_;
  ListMemory& memory_;
  const TilingStack stack_;
  const S* splats_;
  unsigned count_;
  unsigned blocks_;    // that count for themselves; 0: none does
  std::size_t words_;  // of the counts
  ListRoom room_;
  Buffer<unsigned, Cuda> members_;
  float* light_ = nullptr;
  unsigned least_telling_ = 0;
};

}  // namespace haloscope::compute::splotch
