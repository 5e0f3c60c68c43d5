#include "io/snapshots/generic_io.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/row_progress.h"
#include "io/bytes/scalar_type.h"
#include "io/snapshots/field_roles.h"
#include "io/snapshots/generic_io_checksum.h"
#include "io/snapshots/generic_io_parts.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace haloscope::io {

namespace {

constexpr int kHaccType = 1;  // HACC's particles are dark matter
constexpr std::uint64_t kGenericIoPieceBytes = std::uint64_t(1) << 20;
constexpr double kMpcCm = 3.085678e24;

// The name of the variable that is a coordinate: by the writer's mark where just one variable of
// each axis has it, else by the usual name.
std::vector<std::string> position_variables(const GenericIoFile& file) {
  std::vector<std::string> marked(3);
  bool unique = true;
  for (const auto& variable : file.variables) {
    if (variable.axis < 0) continue;
    auto& name = marked[std::size_t(variable.axis)];
    unique = unique && name.empty() && variable.components == 1;
    name = variable.name;
  }
  for (const auto& name : marked) unique = unique && !name.empty();
  return unique ? marked : std::vector<std::string>{"x", "y", "z"};
}

std::string own_field_name(const std::string& variable) {
  if (variable == "id") return "ParticleIDs";
  if (variable == "mass") return "Masses";
  return variable;
}

bool wanted(std::uint64_t begin, std::uint64_t end, const std::vector<RowRange>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const RowRange& range) { return range.begin < end && begin < range.end; });
}

}  // namespace

GenericIoReader::GenericIoReader(const std::string& path, bool allow_missing)
    : files_(find_generic_io_parts(path, allow_missing, info_.assumed)) {
  compare_files();
  info_.format = "GenericIO";
  std::uint64_t promised = 0, first = 0;
  std::string damaged;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    info_.files.push_back(files_[f].path);
    promised += files_[f].promised;
    if (!files_[f].header_intact && damaged.empty()) damaged = files_[f].path;
    for (std::size_t r = 0; r < files_[f].ranks.size(); ++r) {
      if (files_[f].ranks[r].elements > 0) parts_.push_back({f, r, first});
      first += files_[f].ranks[r].elements;
    }
  }
  if (!damaged.empty())
    info_.assumed.push_back(fmt::format(
        "The checksum of the header of {} does not match: its numbers may be damaged.", damaged));
  list_fields();
  if (promised != first)
    info_.assumed.push_back(fmt::format(
        "The headers promise {} particles, the ranks hold {}: took the ranks.", promised, first));
  describe();
}

// The first file speaks for all, so all must have what it has.
void GenericIoReader::compare_files() const {
  const GenericIoFile& first = files_.front();
  for (const auto& file : files_)
    for (const auto& variable : first.variables) {
      const int index = file.find(variable.name);
      if (index >= 0 && file.variables[std::size_t(index)].number == variable.number &&
          file.variables[std::size_t(index)].components == variable.components)
        continue;
      throw BadFile(
          fmt::format("variable {} is {} {}", variable.name,
                      index < 0 ? "missing here but is in" : "of another kind than in", first.path),
          file.path, "copy the output again");
    }
}

bool GenericIoReader::add_vector(const char* field, const std::vector<std::string>& variables,
                                 TypeInfo& type) {
  const GenericIoFile& file = files_.front();
  std::vector<int> found;
  for (const auto& name : variables) found.push_back(file.find(name));
  for (const int index : found) {
    if (index < 0) return false;
    const auto& variable = file.variables[std::size_t(index)];
    if (variable.components != 1 || !scalar_of(variable.number) ||
        variable.number != file.variables[std::size_t(found[0])].number)
      return false;
  }
  columns_.push_back({field, variables});
  const StoredNumber number = file.variables[std::size_t(found[0])].number;
  type.fields.push_back({field, 3, *scalar_of(number), "", std::nullopt});
  return true;
}

void GenericIoReader::list_fields() {
  TypeInfo type;
  type.name = type_name(kHaccType);
  for (const auto& part : parts_) type.count += files_[part.file].ranks[part.rank].elements;
  const GenericIoFile& file = files_.front();
  if (!add_vector("Coordinates", position_variables(file), type)) {
    std::vector<std::string> names;
    for (const auto& variable : file.variables) names.push_back(variable.name);
    const bool halos = file.find("fof_halo_mass") >= 0 || file.find("fof_halo_count") >= 0;
    if (names.size() > 12) names.resize(12);
    throw BadFile(
        fmt::format("this GenericIO file {}: x, y and z are not among its variables ({}{})",
                    halos ? "is a halo catalog, not a snapshot" : "holds no positions",
                    fmt::join(names, ", "), file.variables.size() > 12 ? ", …" : ""),
        file.path, "name a file of particles");
  }
  add_vector("Velocities", {"vx", "vy", "vz"}, type);
  std::set<std::string> taken{"Coordinates", "Velocities"};
  std::vector<std::string> unknown;
  for (const auto& column : columns_)
    taken.insert(column.variables.begin(), column.variables.end());
  for (const auto& variable : file.variables) {
    if (taken.count(variable.name)) continue;
    const auto scalar = scalar_of(variable.number);
    const std::string field = own_field_name(variable.name);
    if (!scalar || type.find(field)) {
      unknown.push_back(variable.name);
      continue;
    }
    columns_.push_back({field, {variable.name}});
    type.fields.push_back({field, variable.components, *scalar, "", std::nullopt});
  }
  if (!unknown.empty())
    info_.assumed.push_back(
        fmt::format("Left out, because their numbers are of no known kind or their names occur "
                    "twice: {}.",
                    fmt::join(unknown, ", ")));
  assign_roles(type);
  if (type.count > 0) info_.types.emplace(kHaccType, std::move(type));
}

// GenericIO says what the box is, and nothing of units: HACC's are Mpc/h and km/s, comoving.
void GenericIoReader::describe() {
  info_.units.length_cm = kMpcCm;
  info_.units.mass_g = kGadgetSolarMassG;
  info_.units.comoving = true;
  info_.units.per_h = true;
  info_.assumed.push_back(
      {"GenericIO has no units: took HACC's comoving Mpc/h, Msun/h and comoving peculiar km/s.",
       kUnitFacts});
  info_.assumed.push_back("GenericIO has no redshift and no cosmology: took a = 1 and h = 1.");
  if (info_.types.count(kHaccType)) {
    TypeInfo& type = info_.types.at(kHaccType);
    for (auto& field : type.fields) {
      if (field.name == "Coordinates") field.unit = "Mpc/h";
      if (field.name == "Velocities") field.unit = "km/s";
      if (field.name == "Masses") field.unit = "Msun/h";
    }
    if (!type.find(Role::Mass))
      info_.assumed.push_back(
          "HACC does not store the particles' mass: all have the same, which is not in the file.");
  }
  const auto& [x, y, z] = files_.front().scale;
  const bool usable = std::isfinite(x) && std::isfinite(y) && std::isfinite(z) && x > 0 && y > 0 &&
                      z > 0 && std::isfinite(files_.front().origin[0]) &&
                      std::isfinite(files_.front().origin[1]) &&
                      std::isfinite(files_.front().origin[2]);
  if (!usable) {
    info_.assumed.push_back({"The header has no box: taken as not periodic.", {Fact::Box}});
    return;
  }
  info_.box_size = std::max({x, y, z});
  info_.box_origin = files_.front().origin;
  info_.periodic = x == y && y == z;
  if (info_.periodic)
    info_.assumed.push_back(
        {fmt::format("Taken as periodic in the header's box of {} Mpc/h.", info_.box_size),
         {Fact::Box}});
  else
    info_.assumed.push_back(
        {fmt::format("The box of {} x {} x {} Mpc/h is not a cube: taken as not periodic.", x, y,
                     z),
         {Fact::Box}});
}

// What all parts of one reading share.
struct GenericIoReader::Reading {
  const Column& column;
  const FieldInfo& field;
  const std::vector<RowRange>& rows;
  const ChunkVisitor& visit;
  const std::vector<std::unique_ptr<PositionedFile>>& files;
  RowProgress& progress;
};

// Piece by piece, in the order of the file, for the checksums' sake.
void GenericIoReader::read_part(const Part& part, const Reading& reading) const {
  const GenericIoFile& file = files_[part.file];
  const GenericIoRank& rank = file.ranks[part.rank];
  const std::size_t variables = reading.column.variables.size();
  const auto components = std::size_t(reading.field.components);
  const std::size_t scalar = scalar_bytes(reading.field.scalar);
  const bool swap = file.big_endian != (std::endian::native == std::endian::big);
  std::vector<std::size_t> index;
  for (const auto& name : reading.column.variables) index.push_back(std::size_t(file.find(name)));
  const GenericIoVariable& first = file.variables[index[0]];
  const std::uint64_t step = std::max<std::uint64_t>(1, kGenericIoPieceBytes / first.size);
  std::vector<unsigned char> stored(std::min(step, rank.elements) * first.size);
  std::vector<unsigned char> gathered(std::min(step, rank.elements) * components * scalar);
  std::vector<GenericIoChecksum> sums(variables);
  auto what = [&](std::size_t v) {
    return fmt::format("variable {} of rank {}", reading.column.variables[v], part.rank);
  };
  for (std::uint64_t at = 0; at < rank.elements; at += step) {
    const std::uint64_t n = std::min(step, rank.elements - at);
    for (std::size_t v = 0; v < variables; ++v) {
      reading.files[part.file]->read(rank.starts[index[v]] + at * first.size, n * first.size,
                                     stored.data(), what(v));
      sums[v].add(stored.data(), n * first.size);
      // A variable of several components is n times as many numbers in a row.
      const std::size_t numbers = variables == 1 ? n * components : n;
      gather_numbers(stored.data(), std::size_t(first.number.bytes), numbers, first.number, swap,
                     gathered.data() + v * scalar, variables);
    }
    const std::uint64_t row = part.first + at;
    if (wanted(row, row + n, reading.rows))
      reading.visit({row, n, int(components), reading.field.scalar, gathered.data()});
    reading.progress.advance(n);
  }
  for (std::size_t v = 0; v < variables; ++v) {
    unsigned char check[8];
    reading.files[part.file]->read(rank.starts[index[v]] + rank.elements * first.size, sizeof check,
                                   check, what(v));
    sums[v].add(check, sizeof check);
    if (!sums[v].intact())
      throw BadFile(what(v) + " is damaged: its checksum does not match", file.path,
                    "copy the file again");
  }
}

void GenericIoReader::read_rows(int type, const std::string& field,
                                const std::vector<RowRange>& rows, const ChunkVisitor& visit,
                                Progress& progress) const {
  const auto found = info_.types.find(type);
  const FieldInfo* info = found == info_.types.end() ? nullptr : found->second.find(field);
  if (!info)
    throw BadFile(fmt::format("there is no variable {} ({})", field, type_name(type)),
                  info_.files.front());
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const Column& one) { return one.field == field; });
  std::vector<Part> parts;
  std::uint64_t total = 0;
  for (const auto& part : parts_) {
    const std::uint64_t n = files_[part.file].ranks[part.rank].elements;
    if (!wanted(part.first, part.first + n, rows)) continue;
    parts.push_back(part);
    total += n;
  }
  std::vector<std::unique_ptr<PositionedFile>> files(files_.size());
  for (const auto& part : parts)
    if (!files[part.file])
      files[part.file] = std::make_unique<PositionedFile>(files_[part.file].path);
  RowProgress done(progress, "reading " + field, total);
  const Reading reading{*column, *info, rows, visit, files, done};
  tbb::parallel_for(std::size_t(0), parts.size(),
                    [&](std::size_t i) { read_part(parts[i], reading); });
}

void GenericIoReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                           Progress& progress) const {
  const auto found = info_.types.find(type);
  const std::uint64_t count = found == info_.types.end() ? 0 : found->second.count;
  read_rows(type, field, {{0, count}}, visit, progress);
}

std::unique_ptr<SnapshotReader> open_generic_io(const std::string& path,
                                                const OpenOptions& options) {
  if (!is_generic_io(path)) throw NotThisFormat("this is not a GenericIO file", path);
  return std::make_unique<GenericIoReader>(path, options.allow_missing_files);
}

}  // namespace haloscope::io
