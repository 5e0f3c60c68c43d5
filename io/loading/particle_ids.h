#pragma once

#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <vector>

namespace haloscope::io {

// IDs of a type's particles in the order of the file, 64-bit integers exactly; without the rows in
// `left_out` (ascending), as ParticleColumns::rejected_rows. Empty where the type has no IDs.
std::vector<std::uint64_t> load_ids(const SnapshotReader& reader, int type,
                                    const std::vector<std::uint64_t>& left_out, Progress& progress);

// The same of a few rows alone, which count without those in `left_out`: ascending and distinct.
// Reads what lies around them and no more where the format can skip.
std::vector<std::uint64_t> load_ids_of(const SnapshotReader& reader, int type,
                                       const std::vector<std::uint64_t>& left_out,
                                       std::vector<std::uint64_t> rows, Progress& progress);

}  // namespace haloscope::io
