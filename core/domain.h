#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace haloscope {

// The cube in which positions are stored as three uint32: resolution is 2^-32 of the side
// everywhere, so that zooming in never jitters, and a periodic difference is one wrapping integer
// subtraction. A periodic box is its own domain; a non-periodic set gets a cube twice as wide as
// its bounding cube, so that differences between its points never wrap.
struct Domain {
  std::array<double, 3> origin{0, 0, 0};
  double side = 1;
  bool periodic = false;

  bool operator==(const Domain&) const = default;

  // World length of one step of the integer lattice.
  double step() const { return side * (1.0 / 4294967296.0); }

  // World coordinate → lattice, rounding down and wrapping (a point exactly at the far edge of a
  // periodic box becomes 0).
  std::uint32_t to_fixed(double world, int axis) const {
    const double t = (world - origin[std::size_t(axis)]) / side;
    // floor(t) first: t − floor(t) is exact, so points far outside wrap without losing bits.
    return std::uint32_t(std::uint64_t((t - std::floor(t)) * 4294967296.0));
  }
  double to_world(std::uint32_t fixed, int axis) const {
    return origin[std::size_t(axis)] + fixed * step();
  }
  bool contains(double world, int axis) const {
    const double t = world - origin[std::size_t(axis)];
    return t >= 0 && t < side;
  }
};

}  // namespace haloscope
