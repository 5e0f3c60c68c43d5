#include "io/loading/position_scan.h"

#include "io/bytes/saturating.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/position_columns.h"
#include "io/loading/row_map.h"

#include <atomic>

namespace haloscope::io {

namespace {

constexpr const char* kWindField = "GFM_StellarFormationTime";

bool is_wide(ScalarType scalar) {
  return scalar == ScalarType::Float64 || scalar == ScalarType::Int64 ||
         scalar == ScalarType::UInt64;
}

}  // namespace

std::uint64_t scan_bytes(const SnapshotReader& reader) {
  const SnapshotInfo& info = reader.info();
  std::uint64_t bytes = 0;
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* position = type.find(Role::Position))
      bytes = saturating_sum(bytes,
                             saturating_product(type.count, is_wide(position->scalar) ? 24 : 12));
  return info.periodic && info.box_size > 0 ? bytes : saturating_product(2, bytes);
}

std::uint64_t count_wind(const SnapshotReader& reader, int type, const RowMap& rows,
                         Progress& progress) {
  const FieldInfo* formed = reader.info().types.at(type).find(Role::FormationTime);
  if (!formed || formed->name != kWindField) return 0;
  std::atomic<std::uint64_t> wind{0};
  rows.read(
      reader, type, formed->name,
      [&](const ColumnChunk& chunk) {
        std::uint64_t found = 0;
        with_typed_data(chunk, [&](const auto* data) {
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t, std::uint64_t) { found += data[i] <= 0; });
        });
        wind += found;
      },
      progress);
  return wind;
}

std::map<int, LoadCounts> scan_positions(const SnapshotReader& reader, Progress& progress) {
  std::map<int, RowMap> rows;
  for (const auto& [number, type] : reader.info().types)
    if (type.count > 0 && type.find(Role::Position)) rows.emplace(number, RowMap(type.count));
  std::map<int, LoadCounts> counts;
  if (rows.empty()) return counts;
  const PositionFrame frame = choose_frame(reader, rows, progress);
  for (const auto& [type, kept] : rows) {
    counts[type] = check_positions(reader, type, kept, frame, nullptr, progress);
    counts[type].wind = count_wind(reader, type, kept, progress);
  }
  return counts;
}

}  // namespace haloscope::io
