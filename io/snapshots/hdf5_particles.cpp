#include "io/snapshots/hdf5_particles.h"

#include "core/error.h"
#include "io/bytes/saturating.h"
#include "io/hdf5/hdf5_column.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_unwritten.h"
#include "io/hdf5/hdf5_virtual.h"
#include "io/snapshots/bare_positions.h"
#include "io/snapshots/field_roles.h"
#include "io/snapshots/field_scaling.h"
#include "io/snapshots/gadget_units.h"
#include "io/snapshots/hdf5_smoothing_lengths.h"
#include "io/snapshots/integer_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace haloscope::io {

namespace {

const std::string kPositions = "Coordinates";

}  // namespace

Hdf5ParticleReader::Hdf5ParticleReader(Hdf5ParticleFiles files) : set_(std::move(files)) {
  const GadgetHeader& header = set_.files.front().header;
  info_.format = facts_of(set_.dialect()).name;
  for (const auto& file : set_.files) info_.files.push_back(file.path);
  info_.assumed = set_.assumed;
  if (!header.counts_given)
    info_.assumed.push_back("The header has no particle counts: took them from the datasets.");
  describe_cosmology(header, info_);
  file_box_ = info_.box_size;
  if (set_.dialect() == Hdf5Dialect::Swift)
    kernel_ = read_swift_kernel(open_hdf5_file(set_.whole).id());
  adopt_unit_attributes();

  std::size_t types = 0;
  for (const auto& file : set_.files) types = std::max(types, file.header.this_file.size());
  for (int type = 0; type < int(types); ++type) {
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < set_.files.size(); ++i)
      if (set_.files[i].header.count(type) > 0) holders.push_back(i);
    if (!holders.empty()) add_type(type, holders);
  }
  say_uncounted();
  compare_totals();
  describe_conventions();
  if (set_.dialect() == Hdf5Dialect::Swift) read_cells();
}

// Types without positions (TNG's tracers, files thinned out by their users) cannot be drawn; types
// that have them in some files only are damage.
void Hdf5ParticleReader::add_type(int type, const std::vector<std::size_t>& holders) {
  std::vector<std::string> lacking;
  std::string positions;
  TypeInfo info;
  info.name = particle_name(set_.dialect(), type);
  for (const std::size_t i : holders) {
    const std::uint64_t count = set_.files[i].header.count(type);
    if (info.count + count < count)
      throw BadFile(fmt::format("the header's count of {} particles is impossible", info.name),
                    set_.files[i].path);
    info.count += count;
    const std::string& name = set_.files[i].positions.at(type).name;
    if (name.empty()) lacking.push_back(set_.files[i].path);
    if (positions.empty()) positions = name;
  }
  if (lacking.size() == holders.size()) {
    info_.assumed.push_back(fmt::format("{} ({}, {} particles) is left out: it has no {}.",
                                        particle_group(type), info.name, info.count, kPositions));
    return;
  }
  if (!lacking.empty())
    throw BadFile(
        fmt::format("dataset {}/{} ({}) is missing", particle_group(type), positions, info.name),
        lacking.front(), "the header promises particles of this type: copy the file again");

  positions_[type] = positions;
  check_positions(type, info, holders);
  list_fields(type, info, set_.files[holders[0]].path);
  info.roles[Role::Position] = positions;
  assign_roles(info);
  const auto& masses = set_.files[holders[0]].header.mass_table;
  if (std::size_t(type) < masses.size() && !info.find(Role::Mass))
    info.uniform_mass = masses[std::size_t(type)];
  const auto meaning = hdf5_smoothing_length(set_.dialect(), type, info, kernel_, info_.assumed);
  if (meaning) info_.smoothing_lengths[type] = *meaning;
  info_.types.emplace(type, std::move(info));
}

// Virtual positions whose source is gone would read as zeros.
void Hdf5ParticleReader::check_sources(const std::string& path, const std::string& name,
                                       const std::string& described) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle dataset = open_hdf5_dataset(file.id(), name);
  if (const auto missing = missing_virtual_source(dataset.id(), path))
    throw BadFile(described + " is virtual and its source file " + *missing + " is missing", path,
                  "put it back beside this file");
}

// Before anybody makes room for as many particles as a header promises, the positions of every file
// must be there, of the right shape, and their storage large enough to hold them.
void Hdf5ParticleReader::check_positions(int type, const TypeInfo& info,
                                         const std::vector<std::size_t>& holders) {
  const std::string name = particle_group(type) + "/" + positions_.at(type);
  const std::string described = "dataset " + name + " (" + info.name + ")";
  for (const std::size_t i : holders) {
    const std::string& path = set_.files[i].path;
    const PositionDataset& positions = set_.files[i].positions.at(type);
    const DatasetLayout& layout = positions.layout;
    const std::uint64_t rows = set_.files[i].header.count(type);
    if (positions.name != positions_.at(type))
      throw BadFile(described + " is missing", path, "copy the file again");
    const bool fits = layout.shape.size() == 2 && layout.shape[1] == 3 && layout.rows() == rows;
    if (fits && positions_.at(type) == kIntegerCoordinates)
      check_integer_coordinates(layout, file_box_, described, path);
    if (!fits || !layout.numeric)
      throw BadFile(fmt::format("{} has the wrong shape: expected {}, found {}", described,
                                shape_text({rows, 3}),
                                layout.numeric ? shape_text(layout.shape) : "no numbers"),
                    path);
    if (layout.storage == DatasetLayout::Storage::Other) check_sources(path, name, described);
    if (positions.lack)
      throw BadFile(described + " is incomplete: " + *positions.lack, path,
                    "the file is damaged or was never finished: copy it again");
    if (!positions.room_for_values)
      throw BadFile(fmt::format("{} has space for {} values but too few bytes for them", described,
                                shape_text(layout.shape)),
                    path, "the file is damaged or was never finished: copy it again");
  }
}

// Every numeric dataset is a field, whatever its name, those of nested groups by their path. A
// length that does not fit is reported when the field is read.
void Hdf5ParticleReader::list_fields(int type, TypeInfo& info, const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_hdf5_group(file.id(), particle_group(type));
  for (const auto& name : nested_dataset_names(group.id())) {
    const Hdf5Handle dataset = open_hdf5_dataset(group.id(), name);
    const DatasetLayout layout = dataset_layout(dataset.id());
    const bool column = layout.numeric && (layout.shape.size() == 1 || layout.shape.size() == 2) &&
                        layout.components() > 0;
    if (!column) continue;
    if (never_written(dataset.id(), layout))
      info_.assumed.push_back(fmt::format(
          "{}/{} ({}) has space but no data: its values read as the fill value, 0 unless chosen.",
          particle_group(type), name, info.name));
    else if (const auto lack = unwritten_part(dataset.id(), layout))
      info_.assumed.push_back(fmt::format("{}/{} ({}) cannot be used, it is incomplete: {}.",
                                          particle_group(type), name, info.name, *lack));
    FieldInfo field{name, layout.components(), layout.scalar, {}};
    if (name == kIntegerCoordinates && positions_.at(type) == name) {
      // What is handed on are code units, whatever the note beside the integers says.
      field.scalar = ScalarType::Float64;
      field.scaling = customary_scaling(name, info_.units, set_.dialect());
      field.unit = length_unit(info_.units);
    } else {
      describe_unit(field, dataset.id(), info_.units, set_.dialect());
    }
    info.fields.push_back(std::move(field));
  }
}

// The note beside the positions of the first type that carries one, in the first file that has
// positions at all: the others are like it. Beside integers it is believed where it speaks of the
// code length, and not of an integer's step.
std::optional<FieldScaling> Hdf5ParticleReader::position_scaling() const {
  for (const auto& one : set_.files) {
    const Hdf5Handle file = open_hdf5_file(one.path);
    bool any = false;
    for (const auto& [type, positions] : one.positions) {
      if (positions.name.empty()) continue;
      any = true;
      const Hdf5Handle dataset =
          open_hdf5_dataset(file.id(), particle_group(type) + "/" + positions.name);
      const auto scaling = read_field_scaling(dataset.id(), info_.units);
      if (!scaling || !(scaling->to_cgs > 0)) continue;
      const double length = one.header.length_cm.value_or(0);
      if (positions.name != kIntegerCoordinates ||
          std::abs(scaling->to_cgs - length) < 5e-3 * length)
        return scaling;
    }
    if (any) return {};
  }
  return {};
}

// The dataset's own note is better evidence than the convention.
void Hdf5ParticleReader::adopt_unit_attributes() {
  const GadgetHeader& header = set_.files.front().header;
  const std::optional<FieldScaling> scaling = position_scaling();
  if (scaling) {
    if (!header.length_cm) info_.units.length_cm = scaling->to_cgs;
    info_.units.per_h = scaling->h == -1;
    info_.units.comoving = info_.units.comoving && scaling->a == 1;
  }
  const bool sqrt_a = info_.units.comoving && facts_of(set_.dialect()).sqrt_a_velocities;
  std::vector<std::string> taken;
  std::set<Fact> facts;
  auto take = [&](Fact fact, const std::string& unit) {
    facts.insert(fact);
    taken.push_back(unit);
  };
  if (!header.length_cm && !scaling) take(Fact::Length, length_unit(info_.units));
  if (!header.mass_g) take(Fact::Mass, mass_unit(info_.units));
  if (!header.velocity_cm_per_s)
    take(Fact::Velocity, velocity_unit(info_.units) + (sqrt_a ? "*sqrt(a)" : ""));
  if (!taken.empty())
    info_.assumed.push_back(
        {fmt::format("Units are not in the file: took {}.", fmt::join(taken, ", ")), facts});
}

void Hdf5ParticleReader::say_uncounted() {
  std::map<int, std::pair<std::uint64_t, std::string>> forgotten;
  for (const auto& file : set_.files)
    for (const auto& [type, rows] : file.uncounted) {
      auto& [sum, first] = forgotten[type];
      sum = saturating_sum(sum, rows);
      if (first.empty()) first = file.path;
    }
  for (const auto& [type, found] : forgotten)
    info_.assumed.push_back(fmt::format(
        "The header counts 0 {0} particles where {1} has positions of {2} ({3}): these are left "
        "out.",
        particle_name(set_.dialect(), type), particle_group(type), found.first,
        std::filesystem::path(found.second).filename().string()));
}

// The sum over the files decides; totals in headers are known to be wrong in the wild.
void Hdf5ParticleReader::compare_totals() {
  const GadgetHeader& header = set_.files.front().header;
  for (int type = 0; type < int(header.total.size()); ++type) {
    std::uint64_t sum = 0;
    for (const auto& file : set_.files) sum += file.header.count(type);
    const std::uint64_t total = header.total_count(type);
    // Low words without high words can only be compared modulo 2^32.
    if (sum == total || (sum & 0xffffffffU) == total) continue;
    if (!set_.missing.empty())
      info_.assumed.push_back(fmt::format("Of {} {} particles {} are in the files that are there.",
                                          total, particle_name(set_.dialect(), type), sum));
    else
      info_.assumed.push_back(
          fmt::format("The header promises {} {} particles, the files hold {}: took the files.",
                      total, particle_name(set_.dialect(), type), sum));
  }
}

void Hdf5ParticleReader::describe_conventions() {
  if (!facts_of(set_.dialect()).mesh_cells) return;
  const auto stars = info_.types.find(4);
  if (stars != info_.types.end() && stars->second.find("GFM_StellarFormationTime"))
    info_.assumed.push_back(
        "Stars include wind particles where GFM_StellarFormationTime is not positive.");
}

void Hdf5ParticleReader::read_cells() {
  if (!set_.missing.empty()) return;  // the index counts rows of files that are not there
  for (const auto& [type, info] : info_.types) {
    std::vector<std::uint64_t> counts;
    for (const auto& file : set_.files) counts.push_back(file.header.count(type));
    bool contradiction = false;
    auto cells = read_swift_cells(set_.whole, info_.files, type, counts, contradiction);
    if (contradiction)
      info_.assumed.push_back(fmt::format(
          "The index of cells (/Cells) contradicts the number of {} particles: not used.",
          info.name));
    if (!cells.empty()) cells_[type] = std::move(cells);
  }
}

std::vector<RowRange> Hdf5ParticleReader::rows_in(int type, const Region& region) const {
  const auto cells = cells_.find(type);
  if (cells == cells_.end()) return SnapshotReader::rows_in(type, region);
  return rows_of_cells(cells->second, region, info_.periodic ? file_box_ : 0);
}

void Hdf5ParticleReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                              Progress& progress) const {
  read_columns(type, field, nullptr, visit, progress);
}

void Hdf5ParticleReader::read_rows(int type, const std::string& field,
                                   const std::vector<RowRange>& rows, const ChunkVisitor& visit,
                                   Progress& progress) const {
  read_columns(type, field, &rows, visit, progress);
}

void Hdf5ParticleReader::read_columns(int type, const std::string& field,
                                      const std::vector<RowRange>* wanted,
                                      const ChunkVisitor& visit, Progress& progress) const {
  const auto found = info_.types.find(type);
  const FieldInfo* column = found == info_.types.end() ? nullptr : found->second.find(field);
  if (!column)
    throw BadFile(fmt::format("dataset {}/{} ({}) is missing", particle_group(type), field,
                              particle_name(set_.dialect(), type)),
                  info_.files.front());
  const bool integers = field == kIntegerCoordinates && positions_.at(type) == field;
  const ChunkVisitor scaled = integers ? scaled_to_box(visit, file_box_) : ChunkVisitor();
  std::uint64_t total = wanted ? 0 : found->second.count;
  if (wanted)
    for (const RowRange& range : *wanted) total += range.end - range.begin;
  RowProgress rows(progress, fmt::format("reading {} of {}", field, found->second.name), total);
  auto next = wanted ? wanted->begin() : std::vector<RowRange>::const_iterator();
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < set_.files.size(); ++i) {
    const std::uint64_t count = set_.files[i].header.count(type);
    if (count == 0) continue;
    if (wanted) {
      // Files without wanted rows are not opened.
      while (next != wanted->end() && next->end <= first) ++next;
      if (next == wanted->end()) return;
    }
    if (!wanted || next->begin < first + count)
      read_hdf5_column({info_.files[i], particle_group(type) + "/" + field, found->second.name,
                        first, count, column->components, wanted},
                       integers ? scaled : visit, rows);
    first += count;
  }
}

std::unique_ptr<SnapshotReader> open_hdf5_particles(const std::string& path,
                                                    const OpenOptions& options) {
  if (options.raw_table) throw NotThisFormat("asked to be read as a raw table", path);
  if (auto bare = open_bare_positions(path)) return bare;
  return std::make_unique<Hdf5ParticleReader>(
      find_hdf5_particle_files(path, options.allow_missing_files));
}

}  // namespace haloscope::io
