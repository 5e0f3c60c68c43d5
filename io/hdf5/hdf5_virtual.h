#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// One dataset of another file that a virtual dataset shows a part of.
struct VirtualSource {
  std::string path;     // where the file is, or should be
  std::string name;     // as the virtual dataset calls it
  std::string dataset;  // within it
  bool there = false;
};

// The sources of a virtual dataset in the order of its mapping, each file once; empty for datasets
// of other kinds. Patterns for an unlimited number of files and the file itself are left out.
std::vector<VirtualSource> virtual_sources(hid_t dataset, const std::string& file);

bool is_virtual(hid_t dataset);

// Values of a virtual dataset that its mapping takes from some source, overlaps counted twice;
// nothing for datasets of other kinds and mappings without end.
std::optional<std::uint64_t> mapped_values(hid_t dataset);

// A source that does not exist, or lacks its dataset; HDF5 would hand out zeros in its place.
std::optional<std::string> missing_virtual_source(hid_t dataset, const std::string& file);

}  // namespace haloscope::io
