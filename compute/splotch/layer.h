#pragma once

#include "compute/splotch/splat.h"
#include "core/check.h"

#include <vector>

namespace haloscope::compute::splotch {

// One particle type ready to draw: its columns and how they look, both where the executor reads.
struct Layer {
  Columns columns;
  Shading shading;
};

// Columns [first, first + count) of a layer. Packed ones are cut between two blocks.
inline Layer slice(const Layer& layer, std::uint64_t first, std::uint64_t count) {
  Layer part = layer;
  part.columns.count = count;
  auto move = [first](auto*& p) {
    if (p) p += first;
  };
  move(part.columns.position.x);
  move(part.columns.position.y);
  move(part.columns.position.z);
  if (part.columns.packed()) {
    HALOSCOPE_CHECK(first % spatial::kPointBlock, ==, 0u);
    part.columns.position.blocks += first / spatial::kPointBlock;
  } else {
    move(part.columns.radius);
  }
  for (auto& c : part.columns.color) move(c);
  move(part.columns.weight);
  move(part.columns.label);
  return part;
}

}  // namespace haloscope::compute::splotch
