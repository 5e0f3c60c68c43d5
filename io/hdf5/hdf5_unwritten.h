#pragma once

#include "io/hdf5/hdf5_dataset.h"

#include <optional>
#include <string>

namespace haloscope::io {

// What a dataset lacks of its values, in words ("1 of 3 chunks was never written", "its sources
// have 5 of 9 rows"): HDF5 hands out zeros in their place, without a word. Nothing where all are
// there, where somebody chose the fill value, and where not one chunk was written: then the whole
// column is the fill value, which the reader's user is told otherwise. Gaps of virtual datasets
// whose mapping has no end, and overlaps that hide gaps, are not found.
std::optional<std::string> unwritten_part(hid_t dataset, const DatasetLayout& layout);

// True where a dataset of values was made and none were ever written, virtual ones aside.
bool never_written(hid_t dataset, const DatasetLayout& layout);

}  // namespace haloscope::io
