#pragma once

#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <optional>
#include <string>

namespace haloscope::analysis {

// Whether masses of particles are read to check the units.
enum class MassReading { None, Yes };

// Positions up to this size are read without asking, and masses beside them: a second or two.
inline constexpr std::uint64_t kScannedByDefault = std::uint64_t(2) << 30;

// A sentence where the mean density of all matter cannot be right, and so the units are not:
// io::odd_density(). Masses in blocks are read only where their sum can be compared with something.
std::optional<std::string> density_sentence(const io::SnapshotReader& reader, MassReading reading,
                                            Progress& progress);

// The same for a search, whose provenance has the sentence. Masses of small snapshots are read. Of
// a part of a snapshot (io::SelectedSnapshot) the whole one is asked. `aloud`: as a warning in the
// log too, at once, because a search with wrong units can take long and be good for nothing.
std::optional<std::string> check_density(const io::SnapshotReader& reader, bool aloud,
                                         Progress& progress);

}  // namespace haloscope::analysis
