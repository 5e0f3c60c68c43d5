#pragma once

#include "core/array.h"
#include "core/domain.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope {

// What became of a type's particles on their way in.
struct LoadCounts {
  std::uint64_t in_file = 0;      // rows of the type in the file
  std::uint64_t read = 0;         // of them, rows that the selection takes
  std::uint64_t not_finite = 0;   // rejected: position NaN or infinite
  std::uint64_t too_far = 0;      // rejected: would eat the others' resolution (no box)
  std::uint64_t wrapped = 0;      // kept, from outside the periodic box
  std::uint64_t far_outside = 0;  // of the wrapped: by more than a whole box
  std::uint64_t wind = 0;         // AREPO's wind cells among stars; counted by scans only
  // Of the shown, world coordinates after wrapping; by scans only.
  std::array<double, 3> mean_position{};

  std::uint64_t rejected() const { return not_finite + too_far; }
  std::uint64_t shown() const { return read - rejected(); }
};

// A color made for pictures instead of read: number density of the file's particles inside the
// smoothing length, N per world volume, known for every type.
inline constexpr const char* kLocalDensity = "LocalDensity";

// The particles of one type on the host, structure of arrays, all of length `count`, in file order.
struct ParticleColumns {
  int type = 0;
  std::string name;
  std::uint64_t count = 0;
  std::array<Array<std::uint32_t>, 3> position;  // in the set's domain
  bool positions_known = false;                  // taken from a KnownPositions in place of the file
  Array<float> support_radius;                   // H in code lengths; empty: not in the file
  Array<float> mass;                             // code masses; empty: all equal uniform_mass
  double uniform_mass = 1;
  // Particles of the file that each of these stands for; masses have it as a factor.
  double weight = 1;
  LoadCounts counts;
  std::map<std::string, std::vector<Array<float>>> fields;  // name → one array per component
  // Rows of the file that were selected but left out (NaN or infinite position), ascending; usually
  // empty.
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
