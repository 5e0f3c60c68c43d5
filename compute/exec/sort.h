#pragma once

#include "compute/exec/buffer.h"

#include <cstdint>

namespace haloscope::compute {

class Cpu;
class Cuda;

// Sorts pairs by the bits from `first_bit` to below `bits` of their keys, ascending; all higher
// bits are zero. Pairs that are equal in these bits keep their order. Takes as much memory again as
// keys and values have, and may leave the result in it: pointers to their data do not stay valid.
// Fewer than 2³² pairs.
void sort_pairs(Cpu& exec, Buffer<std::uint64_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int bits, int first_bit = 0);
void sort_pairs(Cuda& exec, Buffer<std::uint64_t, Cuda>& keys, Buffer<std::uint32_t, Cuda>& values,
                int bits, int first_bit = 0);
void sort_pairs(Cpu& exec, Buffer<std::uint32_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int bits);
void sort_pairs(Cuda& exec, Buffer<std::uint32_t, Cuda>& keys, Buffer<std::uint32_t, Cuda>& values,
                int bits);

}  // namespace haloscope::compute
