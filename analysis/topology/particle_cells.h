#pragma once

#include "core/grid.h"
#include "core/labels.h"
#include "core/particles.h"

#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// The cell that each particle lies in, a flat index; Labels::kNone: outside the grid. `all_inside`:
// the grid was put around the particles, and what rounding moves out of it is in its last cells.
std::vector<std::uint32_t> cells_of_particles(const Grid& grid, const Domain& domain,
                                              const ParticleColumns& columns, bool all_inside);

}  // namespace haloscope::analysis
