#pragma once

#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// The type numbers behind --types, in the order given: "gas", "dm", "disk", "bulge", "stars", "bh"
// (in any case) or numbers; empty: all types in the snapshot whose positions it has. Throws Error
// for a word that is no type (naming the nearest) and for one that this snapshot does not have
// (naming those it has). `option`: where the words come from; a name in backquotes makes an
// OptionError.
std::vector<int> choose_types(const SnapshotInfo& info, const std::vector<std::string>& words,
                              const std::string& option = "--types");

}  // namespace haloscope::analysis
