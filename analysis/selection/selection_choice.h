#pragma once

#include "analysis/finder.h"
#include "core/vector.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace haloscope::analysis {

enum class SelectionKind { None, Box, Sphere, Piece, Value, FoundValue, Branch };

// Particles that the user means; lengths are the snapshot's code units.
struct SelectionChoice {
  SelectionKind kind = SelectionKind::None;
  Vec low{0, 0, 0}, high{0, 0, 0};  // box
  Vec center{0, 0, 0};              // sphere
  double radius = 0;
  std::uint64_t piece = 0;  // or branch
  std::string field;        // value: of the snapshot, or of what was found
  std::array<double, 2> limits{0, 0};
  bool follow_ids = false;  // in other snapshots the same particles, not the same place
  // Of the series, the snapshot whose particles and pieces are meant. The IDs are no part of a
  // state: they are read there again.
  std::size_t made_in = 0;
  // Of a piece, a branch or a found value: who found it, and the search that gave it its number.
  std::string finder = finders().front()->name();
  AnyOptions search = finders().front()->options();

  // Told by what was found.
  bool of_finding() const {
    return kind == SelectionKind::Piece || kind == SelectionKind::FoundValue ||
           kind == SelectionKind::Branch;
  }
  bool operator==(const SelectionChoice&) const = default;
};

}  // namespace haloscope::analysis
