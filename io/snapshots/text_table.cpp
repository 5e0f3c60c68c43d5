#include "io/snapshots/text_table.h"

#include "core/error.h"
#include "io/bytes/row_progress.h"
#include "io/snapshots/field_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <type_traits>

namespace haloscope::io {

namespace {

// Without names the first three columns are positions, the others go by their numbers.
TableMapping map_by_order(std::size_t columns) {
  TableMapping mapping;
  mapping.positions = true;
  mapping.fields.push_back({"Coordinates", {0, 1, 2}});
  for (std::size_t c = 3; c < columns; ++c)
    mapping.fields.push_back({fmt::format("Column{}", c + 1), {int(c)}});
  return mapping;
}

}  // namespace

TextTableReader::TextTableReader(const std::string& path, std::optional<double> hubble)
    : path_(path), file_(path), layout_(read_text_table_layout(path)) {
  info_.format = "Text table";
  info_.files = {path};
  const bool named = !layout_.names.empty();
  TableMapping mapping = named ? map_columns(layout_.names) : map_by_order(layout_.columns);
  if (!mapping.positions)
    throw BadFile(fmt::format("no columns x, y and z are among the {} of this table ({})",
                              layout_.columns, fmt::join(layout_.names, ", ")),
                  path, "name the positions' columns x, y and z");
  fields_ = mapping.fields;
  kinds_.assign(layout_.columns, CellKind::Ignored);
  if (mapping.type && samples_hold(std::size_t(*mapping.type), CellKind::Type))
    kinds_[std::size_t(*mapping.type)] = CellKind::Type;
  else if (mapping.type)
    fields_.push_back({layout_.names[std::size_t(*mapping.type)], {*mapping.type}});
  choose_kinds();
  drop_text_columns();
  say_mapping(mapping);
  for (const auto& field : fields_)
    if (field.name == "SmoothingLength") default_type_ = 0;
  blocks_ = scan_text_table(file_, layout_, kinds_, default_type_);
  say_bad_rows();
  adopt_table_units(header_units(), hubble, info_);
  list_types();
}

// Whether most of the first rows have a cell of this kind there.
bool TextTableReader::samples_hold(std::size_t column, CellKind kind) const {
  std::size_t good = 0;
  for (const auto& line : layout_.samples) {
    CellCursor cursor(line, layout_.delimiter);
    std::string_view cell;
    bool there = cursor.next(cell);
    for (std::size_t c = 0; there && c < column; ++c) there = cursor.next(cell);
    double number = 0;
    std::uint64_t integer = 0;
    bool negative = false;
    if (!there) continue;
    if (kind == CellKind::Type)
      good += parse_particle_type(cell) >= 0;
    else if (kind == CellKind::Id)
      good += parse_integer(cell, integer, negative);
    else
      good += cell.empty() || parse_number(cell, number);
  }
  return 2 * good > layout_.samples.size();
}

void TextTableReader::choose_kinds() {
  for (auto& field : fields_)
    for (const int column : field.columns) {
      CellKind& kind = kinds_[std::size_t(column)];
      kind = field.name == "Coordinates" ? CellKind::Coordinate : CellKind::Value;
      if (field.name != "ParticleIDs") continue;
      // IDs that are no integers are some other column of that name.
      if (samples_hold(std::size_t(column), CellKind::Id))
        kind = CellKind::Id;
      else
        field.name = layout_.names[std::size_t(column)];
    }
}

void TextTableReader::drop_text_columns() {
  std::vector<std::string> dropped;
  for (std::size_t f = 0; f < fields_.size();) {
    const auto words = std::find_if(
        fields_[f].columns.begin(), fields_[f].columns.end(),
        [&](int column) { return !samples_hold(std::size_t(column), CellKind::Value); });
    // Positions that are no numbers make their rows unusable, which is told with the line.
    if (words == fields_[f].columns.end() || fields_[f].name == "Coordinates") {
      ++f;
      continue;
    }
    dropped.push_back(fields_[f].name);
    for (const int column : fields_[f].columns) kinds_[std::size_t(column)] = CellKind::Ignored;
    fields_.erase(fields_.begin() + std::ptrdiff_t(f));
  }
  if (!dropped.empty())
    info_.assumed.push_back(
        fmt::format("Left out, because they are not numbers: {}.", fmt::join(dropped, ", ")));
}

void TextTableReader::say_mapping(const TableMapping& mapping) {
  if (layout_.names.empty())
    info_.assumed.push_back("The columns have no names: took the first three as x, y and z.");
  else if (!mapping.sentences.empty())
    info_.assumed.push_back(fmt::format("Columns: {}.", fmt::join(mapping.sentences, ", ")));
  info_.assumed.push_back({"A text table has no box: taken as not periodic.", {Fact::Box}});
}

void TextTableReader::say_bad_rows() {
  std::uint64_t rows = 0, bad = 0, lines = layout_.lines_before, first_line = 0;
  std::string reason;
  for (const auto& block : blocks_) {
    if (!block.bad.empty() && bad == 0) {
      first_line = lines + block.bad_line + 1;
      reason = block.bad_reason;
    }
    rows += block.rows;
    bad += block.bad.size();
    lines += block.lines;
  }
  if (bad == 0) return;
  const std::string first = fmt::format("the first is line {} ({})", first_line, reason);
  if (2 * bad > rows)
    throw BadFile(
        fmt::format("most rows of this table cannot be read: {} of {}, {}", bad, rows, first),
        path_, "give the same number of columns in each row, and decimal points");
  info_.assumed.push_back(
      fmt::format("{} of {} rows cannot be read and count as rejected: {}.", bad, rows, first));
}

// IDs, and what has no fraction in any row, keep their 64 bits; quantities are doubles.
ScalarType TextTableReader::scalar_of_field(const TableField& field) const {
  static const char* const kQuantities[] = {"Coordinates", "Velocities", "Masses",
                                            "SmoothingLength"};
  for (const char* quantity : kQuantities)
    if (field.name == quantity) return ScalarType::Float64;
  const auto column = std::size_t(field.columns.front());
  bool fractions = false, beyond_signed = false, below_zero = false;
  for (const auto& block : blocks_) {
    fractions = fractions || block.fractions[column];
    beyond_signed = beyond_signed || block.beyond_signed[column];
    below_zero = below_zero || block.below_zero[column];
  }
  if (beyond_signed && below_zero)  // no integer type holds both
    return kinds_[column] == CellKind::Id ? ScalarType::UInt64 : ScalarType::Float64;
  if (fractions) return ScalarType::Float64;
  return beyond_signed ? ScalarType::UInt64 : ScalarType::Int64;
}

std::string TextTableReader::field_unit(const TableField& field) const {
  if (layout_.names.empty()) return {};
  return column_unit(layout_.names[std::size_t(field.columns.front())]);
}

TableUnits TextTableReader::header_units() const {
  auto unit_of = [&](const char* name) {
    for (const auto& field : fields_)
      if (field.name == name) return field_unit(field);
    return std::string();
  };
  return {unit_of("Coordinates"), unit_of("Masses"), unit_of("Velocities")};
}

void TextTableReader::list_types() {
  std::map<int, std::uint64_t> counts;
  for (const auto& block : blocks_)
    for (const auto& [type, count] : block.type_counts) counts[type] += count;
  std::vector<FieldInfo> fields;
  for (const auto& field : fields_)
    fields.push_back({field.name, int(field.columns.size()), scalar_of_field(field),
                      field_unit(field), std::nullopt});
  for (auto& field : fields) {
    if (field.name == "Velocities") field.scaling = table_velocity_scaling(field.unit, info_.units);
    if (field.name == "Masses") field.scaling = table_mass_scaling(header_units(), info_.units);
  }
  for (const auto& [number, count] : counts) {
    TypeInfo type;
    type.name = type_name(number);
    type.count = count;
    type.fields = fields;
    assign_roles(type);
    if (type.find("SmoothingLength")) info_.smoothing_lengths[number] = {"SmoothingLength", 1.0};
    info_.types.emplace(number, std::move(type));
  }
  const bool typed = std::find(kinds_.begin(), kinds_.end(), CellKind::Type) != kinds_.end();
  if (!typed)
    info_.assumed.push_back(
        fmt::format("No column tells the particles' type: took {} (type {}) for all.",
                    type_name(default_type_), default_type_));
  if (!info_.smoothing_lengths.empty())
    info_.assumed.push_back(
        {"The smoothing length is taken as the radius at which the kernel ends.",
         {Fact::Smoothing}});
}

// What all blocks of one reading share.
struct TextTableReader::Reading {
  int type = 0;
  std::vector<int> columns;  // wanted, in the order of the components
  ScalarType scalar = ScalarType::Float64;
  bool one_type = true;
  const ChunkVisitor& visit;
};

template <class T>
void TextTableReader::read_block(const TextBlock& block, std::uint64_t rows, const Reading& reading,
                                 std::string& buffer) const {
  const std::size_t components = reading.columns.size();
  const int last = *std::max_element(reading.columns.begin(), reading.columns.end());
  const T none = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(0);
  std::vector<T> values;
  values.reserve(rows * components);
  std::uint64_t row = 0;
  auto bad = block.bad.begin();
  auto take = [&](std::string_view line, bool is_row) {
    if (!is_row) return;
    const bool is_bad = bad != block.bad.end() && *bad == row;
    if (is_bad) ++bad;
    ++row;
    if (!reading.one_type && row_type(line, layout_, kinds_, default_type_) != reading.type) return;
    const std::size_t at = values.size();
    values.resize(at + components, none);
    if (is_bad) return;
    CellCursor cursor(line, layout_.delimiter);
    std::string_view cell;
    for (int column = 0; column <= last && cursor.next(cell); ++column)
      for (std::size_t c = 0; c < components; ++c) {
        if (reading.columns[c] != column) continue;
        if constexpr (std::is_floating_point_v<T>) {
          parse_number(cell, values[at + c]);
        } else {
          bool negative = false;
          std::uint64_t bits = 0;
          if (parse_integer(cell, bits, negative)) values[at + c] = T(bits);
        }
      }
  };
  for_each_line(file_, block.begin, block.end, layout_.data_start, buffer, take);
  if (values.size() != rows * components)
    throw BadFile("the file has changed while it was read", path_, "open it again");
  reading.visit(
      {block.type_first.at(reading.type), rows, int(components), reading.scalar, values.data()});
}

void TextTableReader::read_rows(int type, const std::string& field,
                                const std::vector<RowRange>& rows, const ChunkVisitor& visit,
                                Progress& progress) const {
  const auto found = info_.types.find(type);
  const FieldInfo* info = found == info_.types.end() ? nullptr : found->second.find(field);
  if (!info)
    throw BadFile(fmt::format("the table has no column {} ({})", field, type_name(type)), path_);
  const auto source = std::find_if(fields_.begin(), fields_.end(),
                                   [&](const TableField& one) { return one.name == field; });
  const Reading reading{type, source->columns, info->scalar, info_.types.size() == 1, visit};
  RowProgress done(progress, "reading " + field, found->second.count);
  tbb::enumerable_thread_specific<std::string> buffers;
  tbb::parallel_for(std::size_t(0), blocks_.size(), [&](std::size_t i) {
    const TextBlock& block = blocks_[i];
    const auto held = block.type_counts.find(type);
    if (held == block.type_counts.end()) return;
    const std::uint64_t first = block.type_first.at(type), count = held->second;
    const bool wanted = std::any_of(rows.begin(), rows.end(), [&](const RowRange& range) {
      return range.begin < first + count && first < range.end;
    });
    if (wanted && info->scalar == ScalarType::Float64)
      read_block<double>(block, count, reading, buffers.local());
    else if (wanted)
      read_block<std::uint64_t>(block, count, reading, buffers.local());
    done.advance(count);
  });
}

void TextTableReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                           Progress& progress) const {
  const auto found = info_.types.find(type);
  const std::uint64_t count = found == info_.types.end() ? 0 : found->second.count;
  read_rows(type, field, {{0, count}}, visit, progress);
}

std::unique_ptr<SnapshotReader> open_text_table(const std::string& path,
                                                const OpenOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw NotThisFormat("this is a folder", path);
  return std::make_unique<TextTableReader>(path, options.overrides.hubble_param);
}

}  // namespace haloscope::io
