#pragma once

#include "core/progress.h"
#include "io/catalogs/plain_dataset.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// A file of measured numbers: plain datasets with their units and descriptions, and a group
// Provenance of texts, whose "Program" tells that haloscope wrote it. Appears whole or not at all.
// Throws Error where it cannot be written, and Cancelled.
void write_hdf5_datasets(const std::string& path, const std::vector<PlainDataset>& datasets,
                         const std::map<std::string, std::string>& provenance, Progress& progress);

}  // namespace haloscope::io
