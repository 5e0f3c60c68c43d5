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
  // Finds room for the lists of `count` splats, at least one, and where `sums_light` about how much
  // light falls into each tile: 0 where too few of a sample were met to tell.
  WideLists(Cuda& exec, const TilingStack& stack, const S* splats, unsigned count, bool sums_light,
            RoomGuess guess);

  // Room for pairs of a splat and a tile.
  unsigned long long places() const { return places_; }
  // Lists the splats; places() must be less than 2³¹. False where a guess proved too little: all
  // have been counted then, and the lists wait to be filled again.
  bool fill();

  // Once they are filled.
  TileLists<S> lists() const { return {splats_, members_.data(), starts_.data(), ends_.data()}; }
  unsigned items() const { return items_; }  // at most: some may be empty
  const float* light() const { return light_.data(); }
  bool uses_level(int k) const { return levels_used_ >> k & 1; }
  bool was_guessed() const { return guess_.sample > 1; }

 private:
  void find_room();

  Cuda& exec_;
  const TilingStack& stack_;
  const S* splats_;
  unsigned count_;
  RoomGuess guess_;
  Buffer<unsigned, Cuda> counts_, ends_, members_;
  Buffer<ListStart, Cuda> starts_;
  Buffer<float, Cuda> light_;
  unsigned long long places_ = 0;
  unsigned items_ = 0, levels_used_ = 0;
};

}  // namespace haloscope::compute::splotch
