#include "io/snapshots/splotch_table.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/row_progress.h"
#include "io/snapshots/field_roles.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kSplotchPieceBytes = std::uint64_t(1) << 20;

}  // namespace

SplotchTableReader::SplotchTableReader(const std::string& path, const OpenOptions::RawTable& table)
    : table_(table) {
  const int width = table.columns_per_row;
  if (width < 1)
    throw Error("a raw table needs the number of columns per row", path, "set num_blocks");
  auto check = [&](const char* name, int column, bool required) {
    if (column < (required ? 1 : 0) || column > width)
      throw Error(fmt::format("column {} of the raw table is {}, expected {} to {}", name, column,
                              required ? 1 : 0, width),
                  path);
  };
  check("x", table.x, true);
  check("y", table.y, true);
  check("z", table.z, true);
  check("r", table.radius, false);
  check("I", table.intensity, false);
  for (int i = 0; i < 3; ++i) check(i == 0 ? "C1" : i == 1 ? "C2" : "C3", table.color[i], false);

  const std::uint64_t row_bytes = std::uint64_t(width) * sizeof(float);
  const std::uint64_t size = PositionedFile(path).size();
  if (size % row_bytes != 0)
    throw BadFile(
        fmt::format("{} bytes are not a whole number of rows of {} columns ({} bytes): {} "
                    "bytes are left over",
                    size, width, row_bytes, size % row_bytes),
        path, "check num_blocks, or copy the file again");
  info_.format = "Splotch raw table";
  info_.files = {path};
  std::set<Fact> facts = kUnitFacts;
  facts.insert(Fact::Box);
  info_.assumed.push_back({"A raw table has no units and no box: taken as not periodic.", facts});
  TypeInfo type;
  type.name = type_name(0);
  type.count = size / row_bytes;
  for (const char* field : {"Coordinates", "Radius", "Intensity", "Color"}) {
    const auto columns = columns_of(field);
    if (!columns.empty())
      type.fields.push_back({field, int(columns.size()), ScalarType::Float32, "", std::nullopt});
  }
  assign_roles(type);
  if (type.find("Radius")) info_.smoothing_lengths[0] = {"Radius", 1.5};
  if (type.count > 0) info_.types.emplace(0, std::move(type));
}

std::vector<int> SplotchTableReader::columns_of(const std::string& field) const {
  if (field == "Coordinates") return {table_.x, table_.y, table_.z};
  if (field == "Radius" && table_.radius) return {table_.radius};
  if (field == "Intensity" && table_.intensity) return {table_.intensity};
  if (field == "Color") {
    if (table_.color[1] || table_.color[2])
      return {table_.color[0], table_.color[1], table_.color[2]};
    if (table_.color[0]) return {table_.color[0]};
  }
  return {};
}

void SplotchTableReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                              Progress& progress) const {
  const std::string& path = info_.files.front();
  const std::vector<int> columns = columns_of(field);
  if (columns.empty() || !info_.types.count(type))
    throw BadFile("the raw table has no field " + field + " for type " + std::to_string(type),
                  path);
  const std::uint64_t count = info_.types.at(type).count;
  const auto width = std::uint64_t(table_.columns_per_row);
  const std::uint64_t step =
      std::min(std::max<std::uint64_t>(1, kSplotchPieceBytes / (width * sizeof(float))),
               std::max<std::uint64_t>(1, count));
  const bool swap = table_.swap_endian != (std::endian::native == std::endian::big);
  struct Buffers {
    std::vector<std::uint32_t> rows, gathered;
  };
  tbb::enumerable_thread_specific<Buffers> local;
  const PositionedFile file(path);
  RowProgress rows_done(progress, "reading " + field, count);
  tbb::parallel_for(std::uint64_t(0), (count + step - 1) / step, [&](std::uint64_t piece) {
    auto& [rows, gathered] = local.local();
    const std::uint64_t first = piece * step;
    const std::uint64_t n = std::min(step, count - first);
    rows.resize(step * width);
    gathered.resize(step * columns.size());
    file.read(first * width * sizeof(float), n * width * sizeof(float), rows.data(),
              "the raw table");
    auto* to = gathered.data();
    for (std::uint64_t i = 0; i < n; ++i)
      for (const int column : columns) {
        // A color channel that is not given is 0, as in Splotch.
        const std::uint32_t bits = column > 0 ? rows[i * width + std::uint64_t(column - 1)] : 0;
        *to++ = swap ? swapped(bits) : bits;
      }
    visit({first, n, int(columns.size()), ScalarType::Float32, gathered.data()});
    rows_done.advance(n);
  });
}

std::unique_ptr<SnapshotReader> open_splotch_table(const std::string& path,
                                                   const OpenOptions& options) {
  if (!options.raw_table) throw NotThisFormat("nobody asked for a raw table", path);
  return std::make_unique<SplotchTableReader>(path, *options.raw_table);
}

}  // namespace haloscope::io
