#pragma once

#include "core/array.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::render {

// A particle's ID and its row in the columns of its type.
struct IdRow {
  std::uint64_t id = 0, row = 0;
};

// IDs in the order of the columns, sorted: 16 bytes a particle. In parallel.
Array<IdRow> sort_ids(const std::vector<std::uint64_t>& ids);

// An ID that two particles have, if there is one.
std::optional<std::uint64_t> repeated_id(const Array<IdRow>& sorted);

// A particle of which the other snapshot has none of that type. It may be there under another type:
// gas that became a star.
struct Unpaired {
  std::uint64_t row = 0;
  int other_type = -1;  // place among the types; -1: the ID is not there at all
  std::uint64_t other_row = 0;
};

// The particles of one type in two snapshots, rows ascending.
struct TypeMatch {
  struct Pair {
    std::uint64_t first = 0, second = 0;
  };
  std::vector<Pair> both;  // ascending in the first
  std::vector<Unpaired> first_only, second_only;
};

// Which particles are the same ones, by ID: within each type first, so that types may share IDs;
// what is left over, across types where that is unambiguous. One entry per type on both sides, in
// the same order; no ID may be repeated within a type.
std::vector<TypeMatch> match_particles(const std::vector<Array<IdRow>>& first,
                                       const std::vector<Array<IdRow>>& second);

}  // namespace haloscope::render
