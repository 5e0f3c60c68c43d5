#pragma once

#include "compute/exec/pinned_value.cuh"
#include "compute/splotch/runs_cuda.cuh"
#include "compute/splotch/tile_products.cuh"
#include "compute/splotch/wide_lists.cuh"
#include "compute/splotch/wide_tiles.cuh"

#include <functional>
#include <map>

namespace haloscope::compute::splotch {

// Wide splats that are to be added to the picture, or each to its level where there are levels.
struct WideTask {
  SplatList list;
  unsigned count;
  Cells picture;
  const Levels<Cuda>* levels;  // null: none. Those of all splats have been asked for.
  bool exact;                  // else some may be drawn by products (tile_products.cuh)
};

// Draws lists of wide splats: listed by tile, each tile drawn in registers, in the default mode by
// products of matrices where splats are many and faint.
//
// How much room the lists of tiles need is known to the GPU alone, and to ask it costs a wait. So
// lists get the room that those of the same particles needed in the picture before, and some more.
// Where this proves too little, nothing is drawn, and finish() draws with the room that was missed.
// Numbers are kept from picture to picture, and memory that grows with the tiles; not that of the
// lists themselves, which others need meanwhile.
class WideDrawing {
 public:
  explicit WideDrawing(Cuda& exec)
      : exec_(exec), can_multiply_(can_draw_products(exec)), found_(exec) {}
  WideDrawing(const WideDrawing&) = delete;
  WideDrawing& operator=(const WideDrawing&) = delete;

  // Whether the last picture of these particles had any.
  bool expects(const void* particles) const {
    const auto room = rooms_.find(particles);
    return room != rooms_.end() && room->second.places > 0;
  }
  // Puts the drawing on the stream; what the task names must stay as it is until the
  // stream has come past it, which finish() need not wait for. `particles`: any address that tells
  // the particles from others. Calls `listed`, where not empty, once the lists' work is on the
  // stream, if there is any.
  template <Mode M>
  void begin(const WideTask& task, const void* particles, const std::function<void()>& listed = {});
  // Waits until it is known whether the lists are whole, and draws again if not; the drawing itself
  // may go on. Returns the milliseconds that drawing again took; 0: it was not.
  double finish();

 private:
  template <Mode M, class S>
  void begin_list(const WideTask& task, const S* splats, ListRoom& room,
                  const std::function<void()>& listed);

  Cuda& exec_;
  bool can_multiply_;
  ListMemory memory_;
  PinnedValue<FilledLists> found_;
  std::map<const void*, ListRoom> rooms_;  // that the last picture's lists needed
  // Of what finish() waits for: its room, and how it is drawn again.
  ListRoom* room_ = nullptr;
  std::function<void()> draw_again_;
};

}  // namespace haloscope::compute::splotch
