#pragma once

#include "compute/exec/ranks.h"
#include "core/image.h"

#include <cstddef>
#include <string>

namespace haloscope::render {

// Whether a film grows white: its exposure is that of one frame, and others may be brighter by
// much.
class WhiteFrames {
 public:
  // The first of the frames looked at is compared with the last.
  void look(const Image8& frame);
  // Ranks share the frames: rank `with_last` looked at the last one. All call it.
  void share(compute::Ranks& ranks, int with_last);
  // What to tell, and what helps; empty: nothing. `exposed`: the frame whose exposure
  // all have.
  std::string sentence(std::size_t exposed) const;

 private:
  bool looked_ = false;
  double first_ = 0, last_ = 0;  // parts of the pixels that are white
};

}  // namespace haloscope::render
