#pragma once

#include "core/snapshot_info.h"
#include "io/bytes/scalar_type.h"

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
  bool numeric = false;        // integers or floats; the rest below is set only then
  bool long_integers = false;  // integers of more than 64 bits, which are not numeric here
  ScalarType scalar = ScalarType::Float32;
  bool native = false;  // the file's bytes are `scalar` in this machine's order: no conversion

  enum class Storage { Contiguous, Chunked, Other };
  Storage storage = Storage::Other;         // Other: compact, virtual, external or unwritten
  std::uint64_t offset = 0;                 // of contiguous data, from the start of the file
  std::vector<std::uint64_t> chunk;         // shape of one chunk
  std::vector<H5Z_filter_t> filters;        // in the order of writing
  std::vector<std::size_t> filter_element;  // element size of each shuffle filter, else 0

  std::uint64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::uint64_t values() const;  // of the whole shape; the largest number where there are more
  std::uint64_t chunks() const;  // that the shape is cut into, likewise
  // 0 for more than anybody has: one row must fit into memory.
  int components() const {
    constexpr std::uint64_t kMost = 65536;
    if (shape.size() != 2) return 1;
    return shape[1] <= kMost ? int(shape[1]) : 0;
  }
};

DatasetLayout dataset_layout(hid_t dataset);

// The file in which a dataset's bytes lie: another than the one that was opened where a link leads
// there. `user_block`: bytes before HDF5's own.
std::string file_of(hid_t dataset, std::uint64_t& user_block);

// False where the bytes that the dataset occupies cannot hold its values, however well compressed:
// its shape was damaged, or it was never filled. True where that cannot be told.
bool storage_can_hold_values(hid_t dataset, const DatasetLayout& layout);

// Names of the datasets directly in a group, sorted.
std::vector<std::string> dataset_names(hid_t group);

// The same with those of nested groups, named by path ("ElementAbundance/Iron"), four levels deep.
// Links that lead to a group again stop at that depth, and at a thousand groups.
std::vector<std::string> nested_dataset_names(hid_t group);

// Names of the groups directly in a group, sorted.
std::vector<std::string> group_names(hid_t group);

hid_t native_hdf5_type(ScalarType scalar);

// "262144 x 3"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace haloscope::io
