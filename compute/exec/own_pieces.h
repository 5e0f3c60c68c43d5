#pragma once

#include "compute/exec/ranks.h"
#include "core/error.h"

#include <span>

namespace haloscope::compute {

// Calls copy(outgoing, incoming) for each piece that rank `self` sends to itself, in the order in
// which both sides name them. Throws Error where they are of two sizes.
template <class Copy>
void each_own_piece(int self, std::span<const Outgoing> out, std::span<const Incoming> in,
                    const Copy& copy) {
  auto to = in.begin();
  for (const Outgoing& piece : out) {
    if (piece.to != self) continue;
    while (to != in.end() && to->from != self) ++to;
    if (to == in.end() || to->bytes != piece.bytes)
      throw Error("what a rank sends to itself does not fit what it receives", "ranks");
    if (piece.bytes > 0) copy(piece, *to);
    ++to;
  }
}

}  // namespace haloscope::compute
