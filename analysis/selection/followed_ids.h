#pragma once

#include "core/progress.h"
#include "io/loading/particle_filter.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Particles by their IDs, to be found again.
struct FollowedIds {
  io::IdLists lists;              // by the type that each had
  std::vector<std::string> said;  // sentences: who has no IDs

  std::uint64_t count() const;
};

// IDs of some rows of a snapshot. Throws Error where none of their types has any.
FollowedIds ids_of_rows(const io::SnapshotReader& reader, const std::map<int, io::RowMap>& rows,
                        Progress& progress);

// Where to seek them in another snapshot: gas becomes stars and black holes, which keep its ID, so
// that these three types are sought in each other; all else is sought in its own type. Throws Error
// where there is no memory for a list of the three.
io::IdLists as_sought_later(const io::IdLists& lists);

// Sentences of what a search for IDs could not do in a snapshot: which of the types have none,
// though particles of such types are sought, and how many of the IDs it lacks. `found`: how many it
// has.
std::vector<std::string> types_without_ids(const SnapshotInfo& info, const std::vector<int>& types,
                                           const io::IdLists& sought);
std::vector<std::string> absent_ids(const SnapshotInfo& info, const io::IdLists& sought,
                                    std::uint64_t found);

// Throws Error where a snapshot has no IDs for any of the types.
void require_ids(const SnapshotInfo& info, const std::vector<int>& types);

}  // namespace haloscope::analysis
