#pragma once

#include "core/array.h"
#include "core/domain.h"
#include "core/lattice_box.h"
#include "core/particles.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace haloscope {

// Positions of all particles of some types of a snapshot that were loaded before and are still at
// hand, so that whoever loads other columns need not read them again.
struct KnownPositions {
  struct Type {
    LoadCounts counts;
    std::vector<std::uint64_t> rejected_rows;  // of the file, ascending
    // Fills arrays of counts.shown() coordinates in the order of the rows.
    std::function<void(std::array<Array<std::uint32_t>, 3>&)> copy;
    // The same of those that lie in a box, with their rows among counts.shown().
    std::function<RowsInBox(const LatticeBox&)> in_box;
  };
  Domain domain;
  std::map<int, Type> types;
};

}  // namespace haloscope
