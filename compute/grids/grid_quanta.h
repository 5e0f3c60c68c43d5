#pragma once

#include "core/host_device.h"

#include <cmath>
#include <cstdint>

namespace haloscope::compute::grids {

// The unit in which a grid is summed. Each particle is rounded once to whole quanta, which its
// cells share without a remainder; from there on all is integer arithmetic, which is exact. So a
// grid holds all mass, and is the same to the bit in whatever order particles come.
//
// The quantum is a power of two: small enough that the heaviest particle has up to 2⁵⁰ of them, and
// large enough that all particles together, in one cell, have less than 2⁶³. N particles of one
// mass have 2⁶¹/N quanta each or more: 2³⁴ where there are 2²⁷ of them.
// A share is off by less than half a quantum for the particle and one for each axis, 3.5 quanta
// in all: a cell that n particles share by less than 3.5 n. Known weakness: a particle below 2⁻⁶²
// of all mass counts as nothing.
struct GridQuanta {
  static constexpr int kParticleBits = 50;
  static constexpr int kTotalBits = 62;

  double per_unit = 1;  // quanta in one unit of mass, or of whatever is summed

  GridQuanta() = default;
  // `top`: all |values| are below 2^top. `sum`: that of all |values| in units of 2^(top − fine),
  // each rounded up.
  GridQuanta(int top, std::uint64_t sum, int fine) {
    int bits = 0;  // the sum is below 2^bits units
    while (bits < 64 && sum >> bits) ++bits;
    const int by_total = kTotalBits - bits - (top - fine);
    const int by_particle = kParticleBits - top;
    per_unit = std::ldexp(1., by_total < by_particle ? by_total : by_particle);
  }

  HALOSCOPE_HD double quantum() const { return 1 / per_unit; }
};

}  // namespace haloscope::compute::grids
