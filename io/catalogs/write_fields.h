#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// A number per particle: per type, per row of the snapshot; NaN: it has none. Borrowed.
struct FieldColumn {
  std::string name, unit;
  std::map<int, const std::vector<float>*> values;
};

// By these a file is known again: the first line of the CSV, and an empty group of the HDF5 file.
inline constexpr const char* kFieldsMark = "haloscope particle fields";
inline constexpr const char* kFieldsGroup = "ParticleFields";

// Writes the fields by the extension of `path`, as write_catalog() does: HDF5 with a dataset
// PartTypeN/NAME per type and field, whose row n is that of the snapshot, or CSV with a line per
// particle: type, row and the fields. Types without any value are left out.
void write_fields(const std::string& path, const std::vector<FieldColumn>& fields,
                  const CatalogProvenance& provenance, Progress& progress);

}  // namespace haloscope::io
