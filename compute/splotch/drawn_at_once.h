#pragma once

#include "compute/splotch/run.h"

#include <algorithm>
#include <cstdint>

namespace haloscope::compute::splotch {

// Bytes that lists of wide splats take for each particle of a picture. Of a billion particles they
// took up to 7 in seven views, and up to 16 of an eighth of them, since those near the camera lie
// together. Where all are wide, as in any part they may be, they take 22.
inline constexpr std::uint64_t kListed = 8, kListedOfPart = 22;
// Parts take longer: eighths of a billion particles some tenth (H200).
inline constexpr std::uint64_t kFewestDrawnAtOnce = 1ull << 26;

// How many particles of a type are drawn at once, so that their lists fit the room, in bytes: all
// of the largest type's, or parts of it that are alike.
inline std::uint64_t drawn_at_once_in(std::uint64_t room, std::uint64_t largest) {
  if (room >= kListed * largest) return 1ull << 32;
  const std::uint64_t most = std::max(room / kListedOfPart, kFewestDrawnAtOnce);
  const std::uint64_t parts = (largest + most - 1) / most;
  return whole_runs((largest + parts - 1) / parts);
}

}  // namespace haloscope::compute::splotch
