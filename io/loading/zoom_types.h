#pragma once

#include "core/snapshot_info.h"
#include "io/snapshot_reader.h"

#include <map>

namespace haloscope::io {

// Of a zoom simulation, the types that are dark matter of low resolution, and how many times as
// heavy as type 1 their particles are: types 2, 3 and 5 of a cosmological run whose particles are
// heavier. Black holes (type 5) are told from dark matter by fields that type 1 lacks, or by masses
// of which hardly two are alike; types for which the code has a word of its own (sinks, tracers) by
// such fields. Empty for anything else.
//
// Masses that stand in a block are looked at in a few rows. Where these cannot be read the type
// counts as none of low resolution: who reads it gets the error.
std::map<int, double> find_zoom_types(const SnapshotReader& reader);

// Names and marks them, and says so in `assumed`.
void name_zoom_types(const std::map<int, double>& times_as_heavy, SnapshotInfo& info);

// The words disk and bulge are those of isolated galaxies: in a cosmological run types 2 and 3 that
// are no dark matter of low resolution, and for which the code has no word, are "type 2", "type 3".
void name_other_types(SnapshotInfo& info);

}  // namespace haloscope::io
