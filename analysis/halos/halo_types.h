#pragma once

#include "analysis/halos/halo_options.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

inline constexpr int kDarkMatter = 1;

// The type that is linked where nobody names any: dark matter, or what there is most of. Throws
// Error where there are no particles with positions.
int linked_by_default(const SnapshotInfo& info);

// Numbers of types.
struct HaloTypes {
  std::vector<int> linked, attached;
};

// What a search links and attaches. Throws Error for words that are no types of the snapshot, and
// for a type that is asked for twice.
HaloTypes halo_types(const SnapshotInfo& info, const HaloOptions& options);

// Throws Error where options and snapshot do not fit, as far as the snapshot's header tells.
void check_snapshot(const SnapshotInfo& info, const HaloOptions& options);

// What the window attaches unless it is told otherwise: gas and stars, where the snapshot has them
// and they are not linked (`linked`: words of types, empty: the default). Throws Error for a word
// that is no type of the snapshot.
std::vector<std::string> attached_in_window(const SnapshotInfo& info,
                                            const std::vector<std::string>& linked);

}  // namespace haloscope::analysis
