#include "io/loading/particle_ids.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"

#include <algorithm>
#include <cstddef>

namespace haloscope::io {

namespace {

void check_chunk(const SnapshotReader& reader, const FieldInfo& field, const ColumnChunk& chunk,
                 std::uint64_t count) {
  if (chunk.first + chunk.rows > count)
    throw BadFile(field.name + " holds more rows than there are particles",
                  reader.info().files.front(), "copy the file again");
}

// Rows of the file, of rows that count without some of them.
void count_left_out(const std::vector<std::uint64_t>& left_out, std::vector<std::uint64_t>& rows) {
  std::uint64_t before = 0;
  for (std::uint64_t& row : rows) {
    while (before < left_out.size() && left_out[before] <= row + before) ++before;
    row += before;
  }
}

// Rows that lie close together are read as one range.
std::vector<RowRange> ranges_of(const std::vector<std::uint64_t>& rows) {
  constexpr std::uint64_t kGap = 4096;
  std::vector<RowRange> ranges;
  for (const std::uint64_t row : rows)
    if (ranges.empty() || row > ranges.back().end + kGap)
      ranges.push_back({row, row + 1});
    else
      ranges.back().end = row + 1;
  return ranges;
}

}  // namespace

const FieldInfo* id_field(const TypeInfo& info) {
  const FieldInfo* field = info.find(Role::Id);
  return field && field->components == 1 ? field : nullptr;
}

std::vector<std::uint64_t> load_ids(const SnapshotReader& reader, int type,
                                    const std::vector<std::uint64_t>& left_out,
                                    Progress& progress) {
  const TypeInfo& info = reader.info().types.at(type);
  const FieldInfo* field = id_field(info);
  if (!field) return {};
  require_host_memory(info.count * sizeof(std::uint64_t), "the particle IDs");
  std::vector<std::uint64_t> ids(std::size_t(info.count), 0);
  reader.read(
      type, field->name,
      [&](const ColumnChunk& chunk) {
        check_chunk(reader, *field, chunk, info.count);
        with_typed_data(chunk, [&](const auto* from) {
          for (std::uint64_t i = 0; i < chunk.rows; ++i) ids[chunk.first + i] = as_id(from[i]);
        });
      },
      progress);
  if (left_out.empty()) return ids;
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (next < left_out.size() && left_out[next] == i)
      ++next;
    else
      ids[kept++] = ids[i];
  }
  ids.resize(kept);
  return ids;
}

std::vector<std::uint64_t> load_ids_of(const SnapshotReader& reader, int type,
                                       const std::vector<std::uint64_t>& left_out,
                                       std::vector<std::uint64_t> rows, Progress& progress) {
  const TypeInfo& info = reader.info().types.at(type);
  const FieldInfo* field = id_field(info);
  if (!field || rows.empty()) return {};
  count_left_out(left_out, rows);
  std::vector<std::uint64_t> ids(rows.size(), 0);
  reader.read_rows(
      type, field->name, ranges_of(rows),
      [&](const ColumnChunk& chunk) {
        check_chunk(reader, *field, chunk, info.count);
        const auto first = std::lower_bound(rows.begin(), rows.end(), chunk.first);
        with_typed_data(chunk, [&](const auto* from) {
          for (auto row = first; row != rows.end() && *row < chunk.first + chunk.rows; ++row)
            ids[std::size_t(row - rows.begin())] = as_id(from[*row - chunk.first]);
        });
      },
      progress);
  return ids;
}

std::vector<std::uint64_t> load_ids_of(const SnapshotReader& reader, int type, const RowMap& rows,
                                       Progress& progress) {
  const FieldInfo* field = id_field(reader.info().types.at(type));
  if (!field || rows.size() == 0) return {};
  require_host_memory(rows.size() * sizeof(std::uint64_t), "the particle IDs");
  std::vector<std::uint64_t> ids(std::size_t(rows.size()), 0);
  rows.read(
      reader, type, field->name,
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* from) {
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t row, std::uint64_t) {
                      ids[row] = as_id(from[i]);
                    });
        });
      },
      progress);
  return ids;
}

}  // namespace haloscope::io
