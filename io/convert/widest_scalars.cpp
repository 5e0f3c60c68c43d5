#include "io/convert/widest_scalars.h"

#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"

#include <string>

namespace haloscope::io {

namespace {

bool is_float(ScalarType scalar) {
  return scalar == ScalarType::Float32 || scalar == ScalarType::Float64;
}

ScalarType wider(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (is_float(a) || is_float(b)) return ScalarType::Float64;
  if (a == ScalarType::UInt64 || b == ScalarType::UInt64) return ScalarType::UInt64;
  return ScalarType::Int64;
}

void widen(hid_t file, int number, TypeInfo& type) {
  const Hdf5Handle group = open_hdf5_group(file, "PartType" + std::to_string(number));
  if (!group) return;
  const FieldInfo* positions = type.find(Role::Position);
  for (auto& field : type.fields) {
    if (&field == positions) continue;  // may be integers in the file and lengths here
    const Hdf5Handle dataset = open_hdf5_dataset(group.id(), field.name);
    if (!dataset) continue;
    const DatasetLayout layout = dataset_layout(dataset.id());
    if (layout.numeric) field.scalar = wider(field.scalar, layout.scalar);
  }
}

}  // namespace

SnapshotInfo with_widest_scalars(SnapshotInfo info) {
  if (info.files.size() < 2) return info;
  for (const auto& path : info.files) {
    if (!is_hdf5_file(path)) continue;
    const Hdf5Handle file = open_hdf5_file(path);
    for (auto& [number, type] : info.types) widen(file.id(), number, type);
  }
  return info;
}

}  // namespace haloscope::io
