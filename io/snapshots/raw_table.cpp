#include "io/snapshots/raw_table.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/row_progress.h"
#include "io/bytes/scalar_type.h"
#include "io/snapshots/field_roles.h"
#include "io/snapshots/table_columns.h"
#include "io/snapshots/table_values.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kRawPieceBytes = std::uint64_t(1) << 20;

// Values are moved as words, so the meaning of 4 or 8 bytes does not matter.
StoredNumber word_of(ScalarType scalar) {
  return {true, true, int(scalar_bytes(scalar))};
}

}  // namespace

RawTableReader::RawTableReader(const std::string& path, RawDescription description)
    : description_(std::move(description)) {
  info_.format = "Raw table";
  info_.files = {path};
  count_rows(PositionedFile(path).size());
  list_fields();
  say_triples();
  info_.assumed.push_back({"A raw table has no box: taken as not periodic.", {Fact::Box}});
  info_.assumed.push_back({"Units are not in the file: took kpc, 1e10 Msun, km/s.", kUnitFacts});
  info_.assumed.push_back(fmt::format(
      "A raw table has no particle types: took {} (type {}) for all.", type_name(type_), type_));
}

// Splotch's tables of columns have x of all particles before y: read as triples they are noise.
void RawTableReader::say_triples() {
  if (!description_.columns) return;
  for (const auto& field : description_.fields)
    if (field.components > 1 && field.name != "-") {
      info_.assumed.push_back(fmt::format(
          "layout=columns: took the {0} components of {1} as one block of rows of {0}; where they "
          "are {0} columns one after the other, name each, as in x:f4,y:f4,z:f4.",
          field.components, field.name));
      return;
    }
}

void RawTableReader::count_rows(std::uint64_t file_bytes) {
  const std::string& path = info_.files.front();
  const std::uint64_t row = description_.row_bytes();
  if (row == 0) throw Error("the description of the raw table has no fields", path);
  if (description_.skip > file_bytes)
    throw BadFile(fmt::format("the file has {} bytes, fewer than the {} to skip", file_bytes,
                              description_.skip),
                  path, "correct skip");
  const std::uint64_t held = (file_bytes - description_.skip) / row;
  count_ = description_.count.value_or(held);
  if (count_ > held)
    throw BadFile(fmt::format("the file holds {} rows of {} bytes after the {} that are skipped, "
                              "not {}",
                              held, row, description_.skip, count_),
                  path, "correct count, or copy the file again");
  const std::uint64_t left = file_bytes - description_.skip - count_ * row;
  if (left > 0 && !description_.count)
    throw BadFile(fmt::format("{} bytes are not a whole number of rows: after {} that are skipped "
                              "and {} rows of {} bytes, {} bytes are left over",
                              file_bytes, description_.skip, count_, row, left),
                  path, "correct the fields or skip, or give the count of particles");
  if (left > 0)
    info_.assumed.push_back(fmt::format("{} bytes after the {} rows are not read.", left, count_));
  std::uint64_t at = description_.skip;
  for (const auto& field : description_.fields) {
    starts_.push_back(at);
    at += field.bytes() * (description_.columns ? count_ : 1);
  }
}

void RawTableReader::list_fields() {
  std::vector<std::string> names;
  const auto& fields = description_.fields;
  for (const auto& field : fields)
    names.push_back(field.components == 1 && field.name != "-" ? field.name : "");
  TypeInfo type;
  auto add = [&](const std::string& name, const std::vector<std::size_t>& sources, int components) {
    for (const std::size_t source : sources)
      if (fields[source].scalar != fields[sources[0]].scalar)
        throw Error(fmt::format("{} of the raw table mixes values of several types", name),
                    info_.files.front(), "describe x, y and z with the same type");
    if (type.find(name))
      throw Error(fmt::format("the raw table has two fields {}", name), info_.files.front(),
                  "rename or skip one of them");
    columns_.push_back({name, sources});
    type.fields.push_back({name, components, fields[sources[0]].scalar, "", std::nullopt});
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name == "-" || fields[f].components == 1) continue;
    const std::string plain = plain_column_name(fields[f].name);
    const bool three = fields[f].components == 3;
    add(three && (plain == "pos" || plain == "position" || plain == "positions") ? "Coordinates"
        : three && (plain == "vel" || plain == "velocity")                       ? "Velocities"
                                                                                 : fields[f].name,
        {f}, fields[f].components);
  }
  const TableMapping mapping = map_columns(names);
  for (const auto& field : mapping.fields)
    add(field.name, {field.columns.begin(), field.columns.end()}, int(field.columns.size()));
  // A column of types would need a pass over the file: it stays a field.
  if (mapping.type) add(fields[std::size_t(*mapping.type)].name, {std::size_t(*mapping.type)}, 1);
  const FieldInfo* positions = type.find("Coordinates");
  if (!positions || positions->components != 3)
    throw Error("the description of the raw table has no positions", info_.files.front(),
                "call them Coordinates with 3 components, or x, y and z");
  if (const FieldInfo* h = type.find("SmoothingLength"); h && h->components == 1) {
    type_ = 0;
    info_.smoothing_lengths[type_] = {"SmoothingLength", 1.0};
    info_.assumed.push_back(
        {"The smoothing length is taken as the radius at which the kernel ends.",
         {Fact::Smoothing}});
  }
  type.name = type_name(type_);
  type.count = count_;
  assign_roles(type);
  if (count_ > 0) info_.types.emplace(type_, std::move(type));
}

void RawTableReader::read_rows(int type, const std::string& field,
                               const std::vector<RowRange>& rows, const ChunkVisitor& visit,
                               Progress& progress) const {
  const std::string& path = info_.files.front();
  const auto found = info_.types.find(type);
  const FieldInfo* info = found == info_.types.end() ? nullptr : found->second.find(field);
  if (!info)
    throw BadFile(fmt::format("the raw table has no field {} ({})", field, type_name(type)), path);
  const Column& column = *std::find_if(columns_.begin(), columns_.end(),
                                       [&](const Column& one) { return one.name == field; });
  const auto components = std::size_t(info->components);
  const std::size_t scalar = scalar_bytes(info->scalar);
  const std::size_t parts = components / column.sources.size();  // components per source
  const bool swap = description_.big_endian != (std::endian::native == std::endian::big);
  const std::uint64_t row_bytes = description_.row_bytes();
  const bool by_columns = description_.columns;
  const std::uint64_t stride = by_columns ? parts * scalar : row_bytes;
  const std::uint64_t step = std::min(std::max<std::uint64_t>(1, kRawPieceBytes / stride),
                                      std::max<std::uint64_t>(1, count_));
  const PositionedFile file(path);
  struct Buffers {
    std::vector<unsigned char> stored, gathered;
  };
  tbb::enumerable_thread_specific<Buffers> local;
  RowProgress done(progress, "reading " + field, count_);
  tbb::parallel_for(std::uint64_t(0), (count_ + step - 1) / step, [&](std::uint64_t piece) {
    const std::uint64_t first = piece * step, n = std::min(step, count_ - first);
    const bool wanted = std::any_of(rows.begin(), rows.end(), [&](const RowRange& range) {
      return range.begin < first + n && first < range.end;
    });
    done.advance(n);
    if (!wanted) return;
    auto& [stored, gathered] = local.local();
    stored.resize(step * stride);
    gathered.resize(step * components * scalar);
    if (!by_columns)
      file.read(description_.skip + first * row_bytes, n * row_bytes, stored.data(),
                "the raw table");
    for (std::size_t s = 0; s < column.sources.size(); ++s) {
      const std::uint64_t start = starts_[column.sources[s]];
      if (by_columns) file.read(start + first * stride, n * stride, stored.data(), "the raw table");
      for (std::size_t p = 0; p < parts; ++p)
        gather_numbers(stored.data() + (by_columns ? 0 : start - description_.skip) + p * scalar,
                       stride, n, word_of(info->scalar), swap,
                       gathered.data() + (s * parts + p) * scalar, components);
    }
    visit({first, n, int(components), info->scalar, gathered.data()});
  });
}

void RawTableReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                          Progress& progress) const {
  read_rows(type, field, {{0, count_}}, visit, progress);
}

std::unique_ptr<SnapshotReader> open_raw_table(const std::string& path,
                                               const OpenOptions& options) {
  if (!options.raw) throw NotThisFormat("nobody described a raw table", path);
  return std::make_unique<RawTableReader>(path, *options.raw);
}

}  // namespace haloscope::io
