#pragma once

#include "io/snapshot_reader.h"

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// One dataset of another file that a virtual dataset shows a part of.
struct VirtualSource {
  std::string path;     // where the file is, or should be
  std::string name;     // as the virtual dataset calls it; "." is the file itself
  std::string dataset;  // within it
  bool there = false;   // the file; whether it holds the dataset is another question
};

// The sources of a virtual dataset in the order of its mapping, each once; empty for datasets of
// other kinds. Of a pattern for any number of files those that exist are listed, or the first that
// should. The file itself is left out unless it is asked for.
std::vector<VirtualSource> virtual_sources(hid_t dataset, const std::string& file,
                                           bool with_itself = false);

// The same as far as the names tell, without looking for the files: `path` is empty.
std::vector<VirtualSource> virtual_source_names(hid_t dataset);
// The files that a name of virtual_source_names() stands for.
std::vector<VirtualSource> files_of_source(const VirtualSource& named, const std::string& file);

bool is_virtual(hid_t dataset);

// Values of a virtual dataset that its mapping takes from some source, overlaps counted twice;
// nothing for datasets of other kinds and mappings without end.
std::optional<std::uint64_t> mapped_values(hid_t dataset);

// Rows of a virtual dataset whose source does not exist, or lacks its dataset, or can itself not
// show all of it; HDF5 would hand out zeros in their place. Ascending and disjoint. Where a mapping
// takes rows with gaps between them, the gaps count as its own. Patterns have no missing files.
struct MissingRows {
  std::vector<RowRange> rows;
  std::string source;  // the first that is missing, as the dataset calls it
};
MissingRows missing_rows(hid_t dataset, const std::string& file);

}  // namespace haloscope::io
