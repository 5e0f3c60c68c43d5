#pragma once

#include "core/snapshot_info.h"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// How the values of a dataset lie in the file.
struct DatasetLayout {
  std::vector<std::uint64_t> shape;
  bool numeric = false;  // integers or floats; the rest below is set only then
  ScalarType scalar = ScalarType::Float32;
  bool native = false;  // the file's bytes are `scalar` in this machine's order: no conversion

  enum class Storage { Contiguous, Chunked, Other };
  Storage storage = Storage::Other;         // Other: compact, virtual, external or unwritten
  std::uint64_t offset = 0;                 // of contiguous data, from the start of the file
  std::vector<std::uint64_t> chunk;         // shape of one chunk
  std::vector<H5Z_filter_t> filters;        // in the order of writing
  std::vector<std::size_t> filter_element;  // element size of each shuffle filter, else 0

  std::uint64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  int components() const { return shape.size() == 2 ? int(shape[1]) : 1; }
};

DatasetLayout dataset_layout(hid_t dataset);

// Names of the datasets directly in a group, sorted.
std::vector<std::string> dataset_names(hid_t group);

// Names of the groups directly in a group, sorted.
std::vector<std::string> group_names(hid_t group);

// A source file of a virtual dataset that does not exist; HDF5 would hand out zeros in its place.
std::optional<std::string> missing_virtual_source(hid_t dataset, const std::string& file);

std::size_t scalar_bytes(ScalarType scalar);
hid_t native_hdf5_type(ScalarType scalar);
const char* scalar_name(ScalarType scalar);

// "262144 x 3"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace haloscope::io
