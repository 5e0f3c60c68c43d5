#pragma once

#include "core/snapshot_info.h"

namespace haloscope::io {

// Fills type.roles from the names of its fields, the spellings of all codes that we read being in
// one table; a role that the reader has filled already stays. A vector role takes only fields of
// three components, a scalar one only fields of one.
void assign_roles(TypeInfo& type);

}  // namespace haloscope::io
