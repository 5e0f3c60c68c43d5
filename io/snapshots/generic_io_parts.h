#pragma once

#include "core/assumption.h"
#include "io/snapshots/generic_io_file.h"

#include <string>
#include <vector>

namespace haloscope::io {

// Reads one element column of a rank into `data` (size times elements bytes, as stored) and checks
// its sum; throws BadFile naming variable and rank. For the small variables of a map.
std::vector<unsigned char> read_generic_io_variable(const GenericIoFile& file, std::size_t variable,
                                                    std::size_t rank);

// The headers of all files of an output, in numeric order: `path` alone, or the parts name#0,
// name#1, … that a map file `name` tells of; a part's own name stands for the whole. Throws
// MissingFiles where a part is not there, unless `allow_missing`; then `assumed` says which.
std::vector<GenericIoFile> find_generic_io_parts(const std::string& path, bool allow_missing,
                                                 Assumptions& assumed);

}  // namespace haloscope::io
