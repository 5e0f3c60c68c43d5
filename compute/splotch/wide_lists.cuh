#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/cuda.h"
#include "compute/splotch/wide_tiles.cuh"

namespace haloscope::compute::splotch {

// How room for the lists of tiles is found: by counting all splats of short lists, and one of
// `sample` of long ones. Counting all takes as long as listing them.
struct RoomGuess {
  unsigned sample;  // 1: all are counted
  // Of a tile of which c splats were met: (c + deviations √c + spare) sample. The defaults leave
  // one tile in 10⁹ without room (binomial numbers, by their tails).
  float deviations = 6, spare = 21;

  // For so many splats and tiles. Tiles have room to spare for fewer than two such lists.
  static RoomGuess of(unsigned count, unsigned tiles) {
    unsigned sample = count < 1u << 20 ? 1 : count < 1u << 22 ? 4 : count < 1u << 24 ? 8 : 16;
    while (sample > 1 && 16ull * sample * tiles > count) sample /= 2;
    return {sample};
  }
};

// The splats of a list by the tiles that their discs touch.
template <class S>
class WideLists {
 public:
  // Begins to count `count` splats, at least one, and where `sums_light` to sum about how much
  // light falls into each tile: 0 where too few of a sample were met to tell.
  WideLists(Cuda& exec, const TilingStack& stack, const S* splats, unsigned count, bool sums_light,
            RoomGuess guess);

  // The room that the lists need. Waits.
  ListRoom find_room() const;
  // Begins to list the splats in `room`, of less than 2³¹ places.
  void fill(const ListRoom& room);
  // What came of it. Waits.
  FilledLists wait_filled() const;
  // Begins to count all splats after a guess has proved too little.
  void count_all();

  // Once they are being filled.
  TileLists<S> lists() const {
    return {splats_, members_.data(), starts_.data(), ends_.data(), filled_.data()};
  }
  const FilledLists* filled() const { return filled_.data(); }
  const ListRoom& room() const { return room_; }
  const float* light() const { return light_.data(); }
  // Once all that reads them is on the stream.
  void forget_members() { members_ = {}; }

  const TilingStack& stack() const { return stack_; }
  const S* splats() const { return splats_; }
  unsigned count() const { return count_; }
  bool was_guessed() const { return guess_.sample > 1; }

 private:
  void count_tiles();

  Cuda& exec_;
  const TilingStack stack_;
  const S* splats_;
  unsigned count_;
  RoomGuess guess_;
  ListRoom room_;
  Buffer<unsigned, Cuda> counts_, ends_, members_;
  Buffer<ListStart, Cuda> starts_;
  Buffer<float, Cuda> light_;
  Buffer<FilledLists, Cuda> filled_;
};

}  // namespace haloscope::compute::splotch
