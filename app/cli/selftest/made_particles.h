#pragma once

#include "core/domain.h"

#include <array>
#include <cstdint>
#include <vector>

namespace haloscope::app::cli {

// Particles in a periodic box of side 1: eight clumps, of which the first lies across a corner, and
// as many particles between them. Made of whole numbers alone, so that they are the same on every
// machine.
struct MadeParticles {
  Domain domain;
  std::array<std::vector<std::uint32_t>, 3> position;
  std::array<std::vector<float>, 3> velocity;  // in [-1, 1)
  std::vector<float> radius;                   // 0.002 to 0.05, most of them small
  std::vector<float> weight, color;            // [0.5, 1.5) and [0, 1)

  std::size_t count() const { return weight.size(); }
  std::array<const std::uint32_t*, 3> positions() const {
    return {position[0].data(), position[1].data(), position[2].data()};
  }
};

MadeParticles make_particles();

// The same in a box that is not periodic: [0, 1)³ is the middle half of its domain.
MadeParticles make_open_particles();

}  // namespace haloscope::app::cli
