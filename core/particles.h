#pragma once

#include "core/array.h"
#include "core/domain.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope {

// The particles of one type on the host, structure of arrays, all of length `count`, in file order.
struct ParticleColumns {
  int type = 0;
  std::string name;
  std::uint64_t count = 0;
  std::array<Array<std::uint32_t>, 3> position;  // in the set's domain
  Array<float> support_radius;                   // H in code lengths; empty: not in the file
  Array<float> mass;                             // code masses; empty: all equal uniform_mass
  double uniform_mass = 1;
  std::map<std::string, std::vector<Array<float>>> fields;  // name → one array per component
  // Rows of the file that were left out (NaN or infinite position), ascending; usually empty.
  std::vector<std::uint64_t> rejected_rows;
};

struct ParticleSet {
  Domain domain;
  std::vector<ParticleColumns> types;
  std::vector<std::string> assumed;  // sentences from loading (wrapped, rejected, derived, …)

  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const auto& t : types) n += t.count;
    return n;
  }
};

}  // namespace haloscope
