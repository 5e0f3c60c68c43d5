#pragma once

#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/particle_filter.h"
#include "io/loading/selection.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

struct ConvertRequest {
  std::string output;
  std::vector<int> types;
  Selection selection;
  bool compress = false;  // gzip and shuffle
  // Of the program: names and texts that are kept in /Provenance, beside the input's files and what
  // was taken of it.
  std::map<std::string, std::string> provenance = {};
  ParticleFilter filter = {};           // beside the region of `selection`, before its sample
  std::vector<std::string> added = {};  // derived fields, in float32
};

struct ConvertResult {
  std::map<int, LoadCounts> counts;  // by type
  std::vector<std::string> said;     // sentences
};

// Writes the selected particles as one GADGET-4-style HDF5 file (see gadget4_layout.h for what
// changes): all fields of the types in their own precision, positions in float64 and inside the
// periodic box, whole numbers exactly, rows without a usable position left out. Holds a few pieces
// and one bit per row in memory; of a field that is added, the column. Throws as
// SnapshotReader::read and AtomicFile do; then the old file, if any, is still there.
ConvertResult convert_snapshot(const SnapshotReader& reader, const ConvertRequest& request,
                               Progress& progress);

}  // namespace haloscope::io
