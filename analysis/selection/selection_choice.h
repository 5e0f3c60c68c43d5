#pragma once

#include "analysis/finder.h"
#include "core/vector.h"
#include "io/loading/outline.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace haloscope::analysis {

enum class SelectionKind { None, Box, Sphere, Piece, Value, FoundValue, Branch, Outline, Pieces };

// Particles that the user means; lengths are the snapshot's code units.
struct SelectionChoice {
  SelectionKind kind = SelectionKind::None;
  Vec low{0, 0, 0}, high{0, 0, 0};  // box
  Vec center{0, 0, 0};              // sphere
  double radius = 0;
  std::optional<double> inner = {};  // of a shell: the sphere without this radius
  std::uint64_t piece = 0;           // or branch
  // Value: of the snapshot, or of what was found. Pieces: the title of a property.
  std::string field;
  std::array<double, 2> limits{0, 0};
  // A second field of the snapshot, whose value must lie within these too; empty: none.
  std::string second_field = {};
  std::optional<std::array<double, 2>> second_limits = {};
  std::optional<io::Outline> outline = {};  // drawn over a picture
  // Pieces: these, in place of a property. Branch: these, in place of one. See number_list.h.
  std::string numbers = {};
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
           kind == SelectionKind::Branch || kind == SelectionKind::Pieces;
  }
  bool operator==(const SelectionChoice&) const = default;
};

}  // namespace haloscope::analysis
