#pragma once

#include <cstdint>
#include <optional>

namespace haloscope::analysis {

// What a search for halos that the user asks for in the window is told; a state keeps it.
struct HaloChoice {
  double spacings = 0.2;          // linking length in mean spacings
  std::optional<double> epsilon;  // the same as a length, in place of it; code units
  int min_points = 2;
  std::uint64_t min_members = 32;
  bool operator==(const HaloChoice&) const = default;
};

}  // namespace haloscope::analysis
