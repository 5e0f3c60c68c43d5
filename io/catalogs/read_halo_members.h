#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"

#include <optional>

namespace haloscope::io {

// The members of the halos of a table, whose IDs a fof_subhalo_tab catalog of ours lists by type:
// rows of IDs/PartTypeN/ParticleIDs from {table}FirstIDType on, {table}LenType of them; the lists
// of several files count as one, file after file. Nothing for catalogs that list none, as those of
// GADGET-4 itself, nor where a file of the set is missing. Throws BadFile where a halo's rows lie
// beyond the lists or a file is not in its place, Error where memory does not hold the IDs, and
// Cancelled.
std::optional<HaloMembers> read_halo_members(const HaloCatalog& catalog, const HaloTable& table,
                                             Progress& progress);

}  // namespace haloscope::io
