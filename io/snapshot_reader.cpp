#include "io/snapshot_reader.h"

#include "io/loading/overrides.h"
#include "io/loading/zoom_types.h"

namespace haloscope::io {

void SnapshotReader::override_facts(const Overrides& overrides) {
  apply_overrides(overrides, info_);
}

void SnapshotReader::tell_zoom_types() {
  name_zoom_types(find_zoom_types(*this), info_);
  name_other_types(info_);
}

void SnapshotReader::read_rows(int type, const std::string& field, const std::vector<RowRange>&,
                               const ChunkVisitor& visit, Progress& progress) const {
  read(type, field, visit, progress);
}

std::vector<RowRange> SnapshotReader::rows_in(int type, const Region&) const {
  return {{0, info_.types.at(type).count}};
}

double ColumnChunk::value(std::uint64_t row, int component) const {
  const std::uint64_t at = row * std::uint64_t(components) + std::uint64_t(component);
  switch (scalar) {
    case ScalarType::Float32:
      return static_cast<const float*>(data)[at];
    case ScalarType::Float64:
      return static_cast<const double*>(data)[at];
    case ScalarType::Int32:
      return static_cast<const std::int32_t*>(data)[at];
    case ScalarType::UInt32:
      return static_cast<const std::uint32_t*>(data)[at];
    case ScalarType::Int64:
      return double(static_cast<const std::int64_t*>(data)[at]);
    default:
      return double(static_cast<const std::uint64_t*>(data)[at]);
  }
}

}  // namespace haloscope::io
