#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/hdf5/hdf5_write.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// Throws Error, naming `path`, unless the members list `halos` halos, whose rows lie within the IDs
// and are as many as they. (Those of two halos may still overlap.)
void check_members(const HaloMembers& members, std::uint64_t halos, const std::string& path);

// GroupLen, GroupLenType and GroupFirstIDType (N x `types`) of checked members, as far as `table`
// lacks them.
std::vector<CatalogColumn> columns_of_members(const HaloMembers& members, const HaloTable& table,
                                              int types);

// What write_members() writes.
std::uint64_t bytes_of_members(const HaloMembers& members);

// Writes checked members to IDs/PartTypeN/ParticleIDs as they are, and to IDs/ID halo after halo,
// in each halo type after type, which is the order of older Gadgets; where both would be equal, one
// is a link to the other. `of_set`: the file is one of several. Throws as Hdf5Writer, and
// Cancelled.
void write_members(Hdf5Writer& writer, const HaloMembers& members, std::uint64_t halos, bool of_set,
                   Progress& progress);

}  // namespace haloscope::io
