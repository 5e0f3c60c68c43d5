#pragma once

#include "core/progress.h"
#include "io/loading/row_map.h"
#include "io/loading/selection.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// The rows that a selection takes of some types.
struct SelectedRows {
  std::map<int, RowMap> rows;     // of types of which anything is left
  std::map<int, double> weights;  // particles that one kept particle stands for
  std::uint64_t every = 1;        // one of so many, after the region
  // Rows without a finite position cannot be in a region; they are counted where it was asked for.
  std::map<int, std::uint64_t> not_finite;
  std::map<int, std::uint64_t> in_region;
};

// Reads positions once where there is a region, nothing otherwise. Throws Error where the region
// holds nothing, BadFile for a type without positions.
SelectedRows select_rows(const SnapshotReader& reader, const std::vector<int>& types,
                         const Selection& selection, Progress& progress);

// What was taken of one of the types, in sentences; none where all of it was.
std::vector<std::string> describe_selection(const SnapshotInfo& info, const Selection& selection,
                                            const SelectedRows& selected, int type);

}  // namespace haloscope::io
