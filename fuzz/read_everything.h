#pragma once

#include "core/halo_catalog.h"
#include "io/snapshot_reader.h"

#include <cstddef>
#include <string>

// What a user could do to a file, done to a hostile one. Only Error and its kinds are caught:
// whatever else gets out ends the process and is a finding, as is a promise of the readers' that a
// chunk does not keep.
namespace haloscope::fuzz {

// Opens a snapshot and reads all there is, then loads particles. Where `choice`, the input's size,
// says so, also counts and converts, which costs more than all the rest.
void read_snapshot(const std::string& path, std::size_t choice,
                   const io::OpenOptions& options = {});

// Opens a halo catalog and looks at every value.
void read_catalog(const std::string& path);

}  // namespace haloscope::fuzz
