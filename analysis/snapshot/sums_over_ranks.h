#pragma once

#include "compute/exec/part_of_rows.h"
#include "core/domain.h"
#include "core/particles.h"
#include "io/loading/kept_lengths.h"

#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// io::block_sums of a column of which each rank has `rows`, on all of them. `own`: this rank's
// values, of 4 bytes. A block whose rows two ranks have is summed by the one with its first row.
// All ranks call it.
std::vector<std::uint64_t> sums_over_ranks(const compute::PartOfRows& rows,
                                           const std::uint32_t* own);

// io::lengths_key of columns of which each rank has `rows`. All ranks call it.
io::LengthsKey key_over_ranks(const compute::PartOfRows& rows, const Domain& domain,
                              const ParticleColumns& own, int neighbors);

}  // namespace haloscope::analysis
