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
  // one tile in 10⁹ without room.
  float deviations = 6, spare = 16;

  // For so many splats.
  static RoomGuess of(unsigned count) {
    return {count < 1u << 20 ? 1u : count < 1u << 22 ? 4u : count < 1u << 24 ? 8u : 16u};
  }
};

// The splats of a list by the tiles that their discs touch.
template <class S>
class WideLists {
 public:
  // Finds room for the lists of `count` splats, at least one, and where `sums_light` about how much
  // light falls into each tile. `guess` may prove too little: then all are counted.
  WideLists(Cuda& exec, const TilingStack& stack, const S* splats, unsigned count, bool sums_light,
            RoomGuess guess);

  // Room for pairs of a splat and a tile.
  unsigned long long places() const { return places_; }
  // Lists the splats; places() must be less than 2³¹.
  void fill();

  // Behind fill().
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
