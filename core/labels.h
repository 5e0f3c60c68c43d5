#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace haloscope {

// A piece per particle: halos and their members, segments of a field, clusters of a cut.
struct Labels {
  static constexpr std::uint32_t kNone = ~0u;  // in no piece

  // Per type that was looked at, per row of the file: the number of its piece.
  std::map<int, std::vector<std::uint32_t>> of;
  std::uint64_t pieces = 0;

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [type, labels] : of) sum += labels.size() * sizeof(std::uint32_t);
    return sum;
  }
};

}  // namespace haloscope
