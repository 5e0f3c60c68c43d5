#pragma once

#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// The name that `types` of the snapshot have for a field as the user typed it: upper and lower case
// are the same where that leaves one name; "velocities[2]" becomes "Velocities[2]". Derived fields
// and LocalDensity count. Throws Error where no type has such a field (naming the nearest and all
// that exist), and where several names differ in case only.
std::string match_field(const SnapshotInfo& info, const std::vector<int>& types,
                        const std::string& word);

// Whether particles of a type have a field of that name, in the file or made of what is there;
// LocalDensity does not count.
bool type_has_field(const SnapshotInfo& info, int type, const std::string& field);

}  // namespace haloscope::analysis
