#pragma once

#include <string>

namespace haloscope::io {

// Whether a file is HDF5 that haloscope wrote: its snapshots and catalogs name their program in
// /Provenance, its maps in /provenance. False for what cannot be opened.
bool has_own_mark(const std::string& path);

}  // namespace haloscope::io
