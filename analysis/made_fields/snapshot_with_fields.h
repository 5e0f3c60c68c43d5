#pragma once

#include "io/snapshot_reader.h"

#include <memory>
#include <string>

namespace haloscope::analysis {

// A snapshot with the fields that can be made of its particles beside those of its files: colors,
// selections and conversions read them as stored ones. A field is made when it is first read. It
// stays in memory until fields of another snapshot are made, 4 bytes per particle, so that readers
// that are opened one after another share it.
//
// `device`: where they are made, as --device has it. `identity`: what, beside files and facts of
// the snapshot (SnapshotInfo), tells what its particles are: how a table without a header is read.
std::unique_ptr<io::SnapshotReader> with_made_fields(std::unique_ptr<io::SnapshotReader> stored,
                                                     const std::string& device, int copies,
                                                     const std::string& identity);

}  // namespace haloscope::analysis
