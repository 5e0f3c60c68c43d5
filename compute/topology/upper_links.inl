#pragma once

#include "compute/topology/cells.inl"
#include "core/host_device.h"

#include <cstdint>

// Where the sweep can join components, told from the cells around a cell alone, for either
// executor.
//
// Of the cells around v, those that are swept before it are its upper link. What of it hangs
// together does so before v comes, so that v joins at most as many components as its upper link has
// pieces. Where it has one piece, v joins nothing: each contact of basins that v is, is the last of
// a ring of contacts, the others of which lie along a way through the piece. No spanning tree has
// the last edge of a ring. So contacts are looked for at the few cells of several pieces.
namespace haloscope::compute::topology {

// Cells of the cube around a cell as bits, by the numbers of offset_of(); the cell itself is none.
inline constexpr int kOwnNumber = 13;

// Links reach as far as neighbors, but of six neighbors no two are neighbors themselves: they are
// joined by the cells across edges.
template <int C>
inline constexpr int kLinkOf = C == 6 ? 18 : C;

template <int C>
HALOSCOPE_HD constexpr bool is_neighbor(int number) {
  return is_neighbor<C>(offset_of(number, 0), offset_of(number, 1), offset_of(number, 2));
}

template <int C>
HALOSCOPE_HD constexpr std::uint32_t neighbor_bits() {
  std::uint32_t bits = 0;
  for (int number = 0; number < 27; ++number)
    if (is_neighbor<C>(number)) bits |= 1u << number;
  return bits;
}

// The bits of all cells of the cube but those at one end of an axis.
HALOSCOPE_HD constexpr std::uint32_t bits_without(int axis, int end) {
  std::uint32_t bits = 0;
  for (int number = 0; number < 27; ++number)
    if (offset_of(number, axis) != end) bits |= 1u << number;
  return bits;
}

// The same cells and those one step up, or down, an axis.
template <int Axis>
HALOSCOPE_HD constexpr std::uint32_t with_up(std::uint32_t bits) {
  constexpr std::uint32_t kMay = bits_without(Axis, 1);
  constexpr int kStep = Axis == 0 ? 9 : Axis == 1 ? 3 : 1;
  return bits | (bits & kMay) << kStep;
}
template <int Axis>
HALOSCOPE_HD constexpr std::uint32_t with_down(std::uint32_t bits) {
  constexpr std::uint32_t kMay = bits_without(Axis, -1);
  constexpr int kStep = Axis == 0 ? 9 : Axis == 1 ? 3 : 1;
  return bits | (bits & kMay) >> kStep;
}
template <int Axis>
HALOSCOPE_HD constexpr std::uint32_t with_both(std::uint32_t bits) {
  return with_up<Axis>(bits) | with_down<Axis>(bits);
}

// Cells and their neighbors, of C.
template <int C>
HALOSCOPE_HD constexpr std::uint32_t with_neighbors_of(std::uint32_t bits) {
  if constexpr (C == 6) return with_both<0>(bits) | with_both<1>(bits) | with_both<2>(bits);
  if constexpr (C == 14)
    return with_up<0>(with_up<1>(with_up<2>(bits))) |
           with_down<0>(with_down<1>(with_down<2>(bits)));
  if constexpr (C == 18) {
    const std::uint32_t x = with_both<0>(bits), y = with_both<1>(bits);
    return with_both<1>(x) | with_both<2>(x) | with_both<2>(y);
  }
  return with_both<0>(with_both<1>(with_both<2>(bits)));
}

// The piece of `link` that the lowest of `some` cells, all of the link, is in.
template <int C>
HALOSCOPE_HD constexpr std::uint32_t piece_of_lowest(std::uint32_t some, std::uint32_t link) {
  std::uint32_t piece = some & (0u - some), before = 0;
  while (piece != before) {
    before = piece;
    piece = with_neighbors_of<C>(piece) & link;
  }
  return piece;
}

// Links of L neighbors in as many bits, in the order of their numbers: the bit of one, and the link
// that `bits` stand for.
template <int L>
HALOSCOPE_HD constexpr int short_bit(int number) {
  int bit = 0;
  for (int n = 0; n < number; ++n) bit += is_neighbor<L>(n);
  return bit;
}
template <int L>
HALOSCOPE_HD constexpr std::uint32_t link_of_short(std::uint32_t bits) {
  std::uint32_t link = 0;
  for (int n = 0; n < 27; ++n) {
    if (!is_neighbor<L>(n)) continue;
    link |= (bits & 1) << n;
    bits >>= 1;
  }
  return link;
}

// Whether the neighbors in an upper link are in several pieces of it.
template <int C>
HALOSCOPE_HD constexpr bool is_apart(std::uint32_t link) {
  const std::uint32_t higher = link & neighbor_bits<C>();
  return (higher & (higher - 1)) != 0 && (higher & ~piece_of_lowest<C>(higher, link)) != 0;
}

}  // namespace haloscope::compute::topology
