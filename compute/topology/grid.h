#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

// Grids of numbers, and what neighbors and levels mean on them.
namespace haloscope::compute::topology {

// Cells of a box. Flat indices count in C order: the first axis is the slowest. A grid of two
// dimensions has one cell along the third.
struct GridShape {
  std::array<std::uint32_t, 3> cells{};
  std::array<bool, 3> periodic{};  // of each axis: its last cell has its first for a neighbor

  std::uint64_t count() const { return std::uint64_t(cells[0]) * cells[1] * cells[2]; }
};

// One value a cell, ordered in its own type; −0 and 0 are one value.
using GridValues = std::variant<std::span<const float>, std::span<const double>,
                                std::span<const std::int8_t>, std::span<const std::uint8_t>,
                                std::span<const std::int16_t>, std::span<const std::uint16_t>,
                                std::span<const std::int32_t>, std::span<const std::uint32_t>,
                                std::span<const std::int64_t>, std::span<const std::uint64_t>>;

struct ScalarGrid {
  GridShape shape;
  GridValues values;
};

// How many neighbors an inner cell has: those across a face; the offsets {0,1}³ and their
// negatives, which are the edges of Freudenthal's triangulation; across a face or an edge; all that
// touch. On a periodic axis of one or two cells each neighbor counts once.
enum class Connectivity { Six = 6, Fourteen = 14, Eighteen = 18, TwentySix = 26 };

// Components of {f ≥ level}, whose peaks are maxima, or of {f ≤ level}, whose "peaks" are minima.
// Words like "higher" and "maximum" are said of superlevels below; sublevels turn them round.
enum class Levels { Super, Sub };

inline constexpr std::uint64_t kNoCell = ~std::uint64_t(0);

}  // namespace haloscope::compute::topology
