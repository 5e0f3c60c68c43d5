#pragma once

#include "core/progress.h"
#include "io/loading/particle_filter.h"
#include "io/loading/read_together.h"
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
  std::map<int, RowMap> rows;         // of types of which anything is left, here or elsewhere
  std::map<int, double> weights;      // particles that one kept particle stands for
  std::map<int, std::uint64_t> kept;  // of the same types, here and elsewhere
  std::uint64_t every = 1;            // one of so many, after the region
  // Rows without a finite position cannot be in a region; they are counted where it was asked for.
  std::map<int, std::uint64_t> not_finite;
  std::map<int, std::uint64_t> in_region;  // and past the filter
  std::uint64_t ids_found = 0;             // of the filter's
};

// Throws BadFile for a type without positions.
void require_positions(const SnapshotInfo& info, int type);

// Reads positions once where there is a region or a sphere, what else the filter asks for, nothing
// otherwise; no rows where nothing is in them. Throws Error for what FilteredRows does not take,
// BadFile for a type without positions.
SelectedRows find_rows(const SnapshotReader& reader, const std::vector<int>& types,
                       const Selection& selection, const ParticleFilter& filter,
                       Progress& progress);

// The same; throws Error where no particle is left.
SelectedRows select_rows(const SnapshotReader& reader, const std::vector<int>& types,
                         const Selection& selection, Progress& progress,
                         const ParticleFilter& filter = {});

// The same without a filter: this process's part of the rows. Counts and weights are those of all
// processes, which share the rows that may lie in a region.
SelectedRows select_rows_together(const SnapshotReader& reader, const std::vector<int>& types,
                                  const Selection& selection, const ReadTogether& together,
                                  Progress& progress);

// Throws EmptyRegion where a region has no rows.
void require_any(const SelectedRows& of_region, const SnapshotInfo& info);

// What was taken of one of the types, in sentences; none where all of it was.
std::vector<std::string> describe_selection(const SnapshotInfo& info, const Selection& selection,
                                            const SelectedRows& selected, int type,
                                            const ParticleFilter& filter = {});

// What a filter by IDs took more than once: IDs that several of the particles have. None for other
// filters.
std::vector<std::string> describe_shared_ids(const SelectedRows& selected,
                                             const ParticleFilter& filter);

}  // namespace haloscope::io
