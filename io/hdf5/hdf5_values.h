#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// All values of a small dataset, row by row; nothing where it is absent, of other things than
// numbers, of more than `most` values, or of many more than its bytes in the file can hold.
std::optional<std::vector<double>> number_dataset(hid_t parent, const std::string& name,
                                                  std::size_t most);

// The same for whole numbers, negative ones as 0.
std::optional<std::vector<std::uint64_t>> count_dataset(hid_t parent, const std::string& name,
                                                        std::size_t most);

}  // namespace haloscope::io
