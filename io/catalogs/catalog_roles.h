#pragma once

#include "core/halo_catalog.h"

namespace haloscope::io {

// Fills table.roles from the names of its columns, in any case; the spellings of all finders and of
// hand-made tables are in one list, of which the first that the table has is taken. A role that the
// reader has filled already stays.
void assign_halo_roles(HaloTable& table);

// Removes rows whose position or main mass is not a finite number; returns how many.
std::uint64_t drop_unusable_rows(HaloTable& table);

}  // namespace haloscope::io
