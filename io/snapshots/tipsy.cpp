#include "io/snapshots/tipsy.h"

#include "core/error.h"
#include "core/unit_words.h"
#include "io/bytes/numbered_files.h"
#include "io/snapshots/field_roles.h"
#include "io/snapshots/gadget_units.h"
#include "io/snapshots/tipsy_parameters.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>

namespace haloscope::io {

// One family's records: where they lie and what stands behind the velocity.
struct TipsyReader::Records {
  int type;
  std::uint64_t count, offset, bytes;
  std::vector<const char*> scalars;
};

TipsyReader::TipsyReader(const std::string& path, const TipsyHeader& header) : header_(header) {
  info_.files = {path};
  info_.format = "Tipsy";
  if (header.swap != (std::endian::native == std::endian::little))
    info_.format += " (little endian)";
  const auto parameters = find_tipsy_parameters(path);
  units_known_ = describe_tipsy(parameters, header.time, info_);
  if (header_.double_positions && !header_.double_velocities) {
    // Either makes the same length.
    if (parameters && parameters->flag("bDoubleVel") && !parameters->flag("bDoublePos"))
      std::swap(header_.double_positions, header_.double_velocities);
    else
      info_.assumed.push_back(
          "By the file's length either positions or velocities are in double precision: took the "
          "positions.");
  }
  const std::uint64_t dark_at = header_.bytes + header_.gas * header_.gas_record();
  const std::uint64_t stars_at = dark_at + header_.dark * header_.dark_record();
  add_type({0,
            header_.gas,
            header_.bytes,
            header_.gas_record(),
            {"Density", "Temperature", "Softening", "Metallicity", "Potential"}});
  add_type({1, header_.dark, dark_at, header_.dark_record(), {"Softening", "Potential"}});
  add_type({4,
            header_.stars,
            stars_at,
            header_.star_record(),
            {"Metallicity", "StellarFormationTime", "Softening", "Potential"}});
  first_ = {{0, 0}, {1, header_.gas}, {4, header_.gas + header_.dark}};
  const bool packed = parameters && parameters->flag("bPackedVector");
  add_arrays(find_tipsy_arrays(path, header_.particles(), packed, info_.assumed));
}

void TipsyReader::add_type(const Records& records) {
  if (records.count == 0) return;
  TypeInfo type;
  type.name = type_name(records.type);
  type.count = records.count;
  std::uint64_t at = records.offset;
  auto add = [&](const char* name, int components, bool eight_bytes) {
    StridedColumn column;
    column.components = components;
    column.scalar = eight_bytes ? ScalarType::Float64 : ScalarType::Float32;
    column.stride = records.bytes;
    column.swap = header_.swap;
    column.what = "the " + type.name + " records";
    column.parts = {{info_.files.front(), at, 0, records.count}};
    at += bytes_of(column.scalar) * std::uint64_t(components);
    type.fields.push_back(field_info(name, components, column.scalar));
    columns_[{records.type, name}] = std::move(column);
  };
  add("Masses", 1, false);
  add("Coordinates", 3, header_.double_positions);
  add("Velocities", 3, header_.double_velocities);
  for (const char* name : records.scalars) add(name, 1, false);
  assign_roles(type);
  info_.types.emplace(records.type, std::move(type));
}

FieldInfo TipsyReader::field_info(const std::string& name, int components,
                                  ScalarType scalar) const {
  FieldInfo field{name, components, scalar, name == "Temperature" ? "K" : "", std::nullopt};
  if (!units_known_) return field;
  const Units& units = info_.units;
  const std::string length = length_unit(units);
  const std::string mass = mass_unit(units);
  const std::string velocity = velocity_unit(units);
  const double a = units.comoving ? 1 : 0;
  if (name == "Coordinates" || name == "Softening") {
    field.unit = length;
    field.scaling = FieldScaling{units.length_cm, a, 0, 1, 0, 0};
  } else if (name == "Masses") {
    field.unit = mass;
    field.scaling = FieldScaling{units.mass_g, 0, 0, 0, 1, 0};
  } else if (name == "Velocities") {
    // Comoving runs store the rate of change of the comoving position.
    field.unit = velocity + (units.comoving ? "*a" : "");
    field.scaling = FieldScaling{units.velocity_cm_per_s, a, 0, 0, 0, 1};
  } else if (name == "Density") {
    field.unit = mass + "/" + unit_power(length, 3);
    field.scaling = FieldScaling{units.mass_g / std::pow(units.length_cm, 3), -3 * a, 0, -3, 1, 0};
  }
  return field;
}

void TipsyReader::add_arrays(const std::vector<TipsyArray>& arrays) {
  for (const auto& array : arrays) {
    for (auto& [number, type] : info_.types) {
      if (type.find(array.name)) continue;
      type.fields.push_back({array.name, array.components, array.scalar, "", std::nullopt});
      if (array.name == "iord" && array.components == 1) type.roles[Role::Id] = array.name;
      if (!array.text)
        columns_[{number, array.name}] =
            binary_array_column(array, header_.particles(), first_.at(number), type.count);
    }
    if (array.text) text_arrays_[array.name] = array;
  }
}

void TipsyReader::read_some(int type, const std::string& field, const std::vector<RowRange>* rows,
                            const ChunkVisitor& visit, Progress& progress) const {
  const std::string phase = fmt::format("reading {} of {}", field, type_name(type));
  if (const auto column = columns_.find({type, field}); column != columns_.end()) {
    read_strided(column->second, rows, phase, visit, progress);
    return;
  }
  const auto array = text_arrays_.find(field);
  if (array == text_arrays_.end() || !info_.types.count(type))
    throw BadFile(fmt::format("there is no field {} of type {} ({})", field, type, type_name(type)),
                  info_.files.front());
  read_text_array(array->second, first_.at(type), info_.types.at(type).count, phase, visit,
                  progress);
}

void TipsyReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                       Progress& progress) const {
  read_some(type, field, nullptr, visit, progress);
}

void TipsyReader::read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                            const ChunkVisitor& visit, Progress& progress) const {
  read_some(type, field, &rows, visit, progress);
}

namespace {

std::string pick_from_folder(const std::string& folder) {
  std::map<std::string, std::string> snapshots;
  for (const auto& path : files_in(folder)) {
    try {
      if (!read_tipsy_header(PositionedFile(path), path)) continue;
    } catch (const Error&) {
      continue;  // somebody else's file, or one to be named before its damage is told
    }
    snapshots.emplace(std::filesystem::path(path).filename().string(), path);
  }
  return only_output(folder, snapshots, "snapshot", "the folder holds no Tipsy snapshot");
}

}  // namespace

std::unique_ptr<SnapshotReader> open_tipsy(const std::string& path, const OpenOptions& options) {
  if (options.raw_table) throw NotThisFormat("asked to be read as a raw table", path);
  std::error_code ignored;
  const std::string file =
      std::filesystem::is_directory(path, ignored) ? pick_from_folder(path) : path;
  const auto header = read_tipsy_header(PositionedFile(file), file);
  if (!header) throw NotThisFormat("this is not a Tipsy snapshot", file);
  return std::make_unique<TipsyReader>(file, *header);
}

}  // namespace haloscope::io
