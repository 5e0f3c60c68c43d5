#pragma once

#include "core/grid.h"
#include "core/progress.h"
#include "io/grids/stored_grid.h"

#include <optional>
#include <string>

namespace haloscope::io {

// How raw values lie, in a word of the command line: TYPE:NXxNYxNZ, TYPE being f4, f8, i1, u1, i2,
// u2, i4, u4, i8 or u8; then, each after a semicolon, order=c (default: x is the slowest axis) or
// fortran, endian=little (default) or big, skip=BYTES. As in "f4:512x512x256;order=fortran;skip=8".
// The path stays empty. Throws Error naming the part that is wrong; `where` names the option or the
// line.
StoredGrid parse_raw_grid(const std::string& text, const std::string& where);

// The description of `said`, or, where that is empty, of the line `raw-grid = "…"` in the sidecar
// file FILE.haloscope.toml; nothing where neither says one.
std::optional<StoredGrid> describe_raw_grid(const std::string& path, const std::string& said);

// Throws BadFile where the file holds fewer values than described, or more.
Grid read_raw_grid(const std::string& path, const StoredGrid& described, const ChoosePlanes& planes,
                   Progress& progress);

}  // namespace haloscope::io
