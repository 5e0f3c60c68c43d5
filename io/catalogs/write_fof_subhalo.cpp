#include "io/catalogs/write_fof_subhalo.h"

#include "core/error.h"
#include "core/outputs.h"
#include "io/bytes/scalar_type.h"
#include "io/catalogs/catalog_parts.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/write_halo_members.h"
#include "io/grids/hdf5_grid_type.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

namespace haloscope::io {

namespace {

// Headers, groups and their texts; and those of one column.
constexpr std::uint64_t kMetadataBytes = std::uint64_t(1) << 16, kColumnBytes = 4096;

std::size_t value_count(const CatalogColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

template <class Narrow, class T>
bool all_in_range(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T v) { return std::in_range<Narrow>(v); });
}

template <class T>
bool all_fit(ScalarType scalar, const std::vector<T>& values) {
  switch (scalar) {
    case ScalarType::Int32:
      return all_in_range<std::int32_t>(values);
    case ScalarType::UInt32:
      return all_in_range<std::uint32_t>(values);
    case ScalarType::Int64:
      return all_in_range<std::int64_t>(values);
    case ScalarType::UInt64:
      return all_in_range<std::uint64_t>(values);
    default:
      return false;
  }
}

ScalarType memory_scalar(const CatalogColumn& column) {
  constexpr ScalarType types[] = {ScalarType::Float64, ScalarType::Int64, ScalarType::UInt64};
  return types[column.values.index()];
}

// The column's own type; that of its values in memory where it is of another kind, or too narrow
// for its whole numbers.
ScalarType file_scalar(const CatalogColumn& column) {
  return std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_floating_point_v<T>)
          return column.scalar == ScalarType::Float32 ? column.scalar : ScalarType::Float64;
        else
          return all_fit(column.scalar, values) ? column.scalar : memory_scalar(column);
      },
      column.values);
}

// A catalog of another finder has its halos in a table of another name.
const HaloTable* group_table(const HaloCatalog& catalog) {
  if (const HaloTable* groups = catalog.find("Group")) return groups;
  for (const auto& table : catalog.tables)
    if (table.name != "Subhalo") return &table;
  return nullptr;
}

// Rockstar has a column T/|U|, of which HDF5 would make a group.
std::string dataset_name(std::string column) {
  std::replace(column.begin(), column.end(), '/', '_');
  return column;
}

// Of all files of a catalog, for one of them.
struct SetFacts {
  int files = 1, types = 0;
  std::uint64_t groups = 0, subhalos = 0, members = 0;
  std::map<int, std::uint64_t> members_before;  // in the files before it, of each type
};

class FofSubhaloWriter {
 public:
  // `set` is null where one file holds it all.
  FofSubhaloWriter(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                   const CatalogProvenance& provenance, const std::vector<PlainDataset>& beside,
                   const SetFacts* set)
      : path_(path),
        catalog_(catalog),
        members_(members),
        provenance_(provenance),
        beside_(beside),
        set_(set) {
    const HaloTable *groups = group_table(catalog), *subhalos = catalog.find("Subhalo");
    group_count_ = groups ? groups->count : 0;
    check_members(members, group_count_, path);
    if (groups) {
      add_columns("Group", groups->columns, groups->count);
      set_type_count(*groups);
      member_columns_ = columns_of_members(members, *groups, type_count_);
      if (set) continue_rows(member_columns_, set->members_before);
      add_columns("Group", member_columns_, groups->count);
    }
    // Readers divide by the number of subhalos.
    if (subhalos && subhalos->count > 0) {
      subhalo_count_ = subhalos->count;
      add_columns("Subhalo", subhalos->columns, subhalos->count);
    }
  }

  // All of it, to be committed.
  std::unique_ptr<Hdf5Writer> written(Progress& progress) const {
    auto made = std::make_unique<Hdf5Writer>(path_, expected_bytes());
    Hdf5Writer& writer = *made;
    write_header(writer);
    write_parameters(writer);
    write_provenance(writer);
    for (const char* name : {"Group", "Subhalo", "IDs"}) writer.group(name);
    std::size_t written = 0;
    for (const auto& [name, column] : columns_) {
      progress.report("writing halos", double(written++) / double(columns_.size()));
      write_column(writer, name, *column);
    }
    write_members(writer, members_, group_count_, set_ != nullptr, progress);
    for (const PlainDataset& dataset : beside_) write_plain(writer, dataset, progress);
    return made;
  }

 private:
  // First rows in the lists of all files, one after the other.
  static void continue_rows(std::vector<CatalogColumn>& columns,
                            const std::map<int, std::uint64_t>& before) {
    for (CatalogColumn& column : columns) {
      if (column.name != "GroupFirstIDType") continue;
      auto& values = std::get<std::vector<std::uint64_t>>(column.values);
      const auto types = std::size_t(column.components);
      for (const auto& [type, rows] : before)
        for (std::size_t at = std::size_t(type); at < values.size(); at += types)
          values[at] += rows;
    }
  }

  void add_columns(const std::string& group, const std::vector<CatalogColumn>& columns,
                   std::uint64_t halos) {
    for (const auto& column : columns) {
      if (value_count(column) != halos * std::uint64_t(column.components))
        throw Error(fmt::format("column {} has {} values, expected {} x {}", column.name,
                                value_count(column), halos, column.components),
                    path_, "this is a fault of haloscope: please report it");
      columns_.emplace_back(group + "/" + dataset_name(column.name), &column);
    }
  }

  void set_type_count(const HaloTable& groups) {
    if (!members_.ids.empty())
      type_count_ = std::max(type_count_, members_.ids.rbegin()->first + 1);
    if (const CatalogColumn* column = groups.find("GroupLenType"))
      type_count_ = std::max(type_count_, column->components);
    if (set_) type_count_ = std::max(type_count_, set_->types);
  }

  std::uint64_t expected_bytes() const {
    std::uint64_t bytes = kMetadataBytes + bytes_of_members(members_);
    for (const auto& [name, column] : columns_)
      bytes += kColumnBytes + value_count(*column) * scalar_bytes(file_scalar(*column));
    for (const PlainDataset& dataset : beside_) bytes += kColumnBytes + bytes_of(dataset);
    return bytes;
  }

  static std::uint64_t bytes_of(const PlainDataset& dataset) {
    if (!dataset.grid_scalar)
      return dataset.rows * std::uint64_t(dataset.components) * scalar_bytes(dataset.scalar);
    std::uint64_t bytes = grid_scalar_bytes(*dataset.grid_scalar);
    for (const std::uint64_t n : dataset.shape) bytes *= n;
    return bytes;
  }

  // Lengths and masses per h where comoving, without h where not.
  Units units() const {
    Units units = catalog_.units;
    if (units.comoving == units.per_h) return units;
    const double h = catalog_.cosmology.hubble_param;
    units.length_cm *= units.comoving ? h : 1 / h;
    units.mass_g *= units.comoving ? h : 1 / h;
    units.per_h = units.comoving;
    return units;
  }

  void write_cosmology(Hdf5Writer& writer, hid_t object) const {
    // Where nothing is per h, 1 makes sure that nobody divides by it.
    const bool comoving = catalog_.units.comoving;
    writer.number(object, "HubbleParam", comoving ? catalog_.cosmology.hubble_param : 1);
    writer.number(object, "Omega0", catalog_.cosmology.omega_matter);
    writer.number(object, "OmegaLambda", catalog_.cosmology.omega_lambda);
    writer.number(object, "BoxSize", catalog_.box_size);
  }

  void write_header(Hdf5Writer& writer) const {
    const Hdf5Handle header = writer.group("Header");
    const auto counts = [&](const std::string& what, std::uint64_t n, std::uint64_t total) {
      writer.count(header.id(), what + "_ThisFile", n);
      writer.count(header.id(), what + "_Total", set_ ? total : n);
    };
    const SetFacts set = set_ ? *set_ : SetFacts{};
    std::uint64_t ids = 0;
    for (const auto& [type, list] : members_.ids) ids += list.size();
    counts("Ngroups", group_count_, set.groups);
    counts("Nsubhalos", subhalo_count_, set.subhalos);
    counts("Nids", ids, set.members);
    // AREPO's name, which yt asks for, as it does for the cosmology here.
    counts("Nsubgroups", subhalo_count_, set.subhalos);
    write_cosmology(writer, header.id());
    writer.whole(header.id(), "NumFiles", set.files);
    const bool comoving = catalog_.units.comoving;
    writer.number(header.id(), "Time", comoving ? catalog_.cosmology.scale_factor : catalog_.time);
    writer.number(header.id(), "Redshift", catalog_.cosmology.redshift.value_or(0));
    writer.text(header.id(), "Git_commit", provenance_.program_version);
    writer.text(header.id(), "Git_date", "unknown");
  }

  void write_parameters(Hdf5Writer& writer) const {
    const Hdf5Handle parameters = writer.group("Parameters");
    write_cosmology(writer, parameters.id());
    const Units code = units();
    writer.number(parameters.id(), "UnitLength_in_cm", code.length_cm);
    writer.number(parameters.id(), "UnitMass_in_g", code.mass_g);
    writer.number(parameters.id(), "UnitVelocity_in_cm_per_s", code.velocity_cm_per_s);
    writer.whole(parameters.id(), "ComovingIntegrationOn", code.comoving ? 1 : 0);
    writer.whole(parameters.id(), "PeriodicBoundariesOn", catalog_.periodic ? 1 : 0);
    const Hdf5Handle config = writer.group("Config");
    writer.whole(config.id(), "NTYPES", type_count_);
    if (catalog_.periodic) writer.whole(config.id(), "PERIODIC", 1);
  }

  void write_provenance(Hdf5Writer& writer) const {
    const Hdf5Handle origin = writer.group("Provenance");
    writer.text(origin.id(), "Program", provenance_.program_version);
    writer.text(origin.id(), "Snapshot", provenance_.snapshot);
    writer.text(origin.id(), "CommandLine", provenance_.command_line);
    const Hdf5Handle parameters = writer.group("Provenance/Parameters");
    for (const auto& [name, value] : provenance_.parameters) {
      if (const auto* real = std::get_if<double>(&value))
        writer.number(parameters.id(), name, *real);
      else if (const auto* whole = std::get_if<std::int64_t>(&value))
        writer.signed_count(parameters.id(), name, *whole);
      else
        writer.text(parameters.id(), name, std::get<std::string>(value));
    }
  }

  void write_column(Hdf5Writer& writer, const std::string& name,
                    const CatalogColumn& column) const {
    const std::uint64_t rows = value_count(column) / std::uint64_t(column.components);
    const Hdf5Handle dataset = writer.dataset(name, file_scalar(column), rows, column.components);
    std::visit(
        [&](const auto& values) {
          writer.write_rows(dataset.id(), name, memory_scalar(column), 0, rows, column.components,
                            values.data());
        },
        column.values);
    writer.text(dataset.id(), "unit", column.unit);
    if (!column.description.empty()) writer.text(dataset.id(), "description", column.description);
    const auto scaling = column.scaling ? column.scaling : parse_unit(column.unit);
    if (scaling) writer.scaling(dataset.id(), *scaling);
  }

  static void write_plain(Hdf5Writer& writer, const PlainDataset& from, Progress& progress) {
    if (from.grid_scalar) return write_array(writer, from, progress);
    constexpr std::uint64_t kRows = std::uint64_t(1) << 22;  // of one write
    const Hdf5Handle dataset = writer.dataset(from.name, from.scalar, from.rows, from.components);
    const std::size_t row_bytes = scalar_bytes(from.scalar) * std::size_t(from.components);
    for (std::uint64_t at = 0; at < from.rows; at += kRows) {
      progress.report("writing " + from.name, double(at) / double(from.rows));
      writer.write_rows(dataset.id(), from.name, from.scalar, at, std::min(kRows, from.rows - at),
                        from.components, static_cast<const char*>(from.data) + at * row_bytes);
    }
    writer.text(dataset.id(), "unit", from.unit);
    writer.text(dataset.id(), "description", from.description);
  }

  static void write_array(Hdf5Writer& writer, const PlainDataset& from, Progress& progress) {
    constexpr std::uint64_t kBytes = std::uint64_t(64) << 20;  // of one write
    const hid_t type = hdf5_grid_type(*from.grid_scalar);
    const Hdf5Handle dataset = writer.array(from.name, type, from.shape);
    writer.text(dataset.id(), "unit", from.unit);
    writer.text(dataset.id(), "description", from.description);
    if (bytes_of(from) == 0) return;
    std::vector<std::uint64_t> part = from.shape;
    const std::uint64_t all = from.shape.front(), plane = bytes_of(from) / all;
    const std::uint64_t step = std::max<std::uint64_t>(1, kBytes / plane);
    for (std::uint64_t at = 0; at < all; at += step) {
      progress.report("writing " + from.name, double(at) / double(all));
      part.front() = std::min(step, all - at);
      writer.write_planes(dataset.id(), from.name, type, at, part,
                          static_cast<const char*>(from.data) + at * plane);
    }
  }

  const std::string& path_;
  const HaloCatalog& catalog_;
  const HaloMembers& members_;
  const CatalogProvenance& provenance_;
  const std::vector<PlainDataset>& beside_;
  const SetFacts* set_;
  std::uint64_t group_count_ = 0, subhalo_count_ = 0;
  int type_count_ = kGadgetTypes;
  std::vector<CatalogColumn> member_columns_;                          // those that the table lacks
  std::vector<std::pair<std::string, const CatalogColumn*>> columns_;  // by dataset
};

}  // namespace

void write_fof_subhalo(const std::string& path, const HaloCatalog& catalog,
                       const HaloMembers& members, const CatalogProvenance& provenance,
                       Progress& progress, const std::vector<PlainDataset>& beside, int files) {
  if (files == 1) {
    FofSubhaloWriter(path, catalog, members, provenance, beside, nullptr)
        .written(progress)
        ->commit();
    return;
  }
  const HaloTable *groups = group_table(catalog), *subhalos = catalog.find("Subhalo");
  check_members(members, groups ? groups->count : 0, path);
  SetFacts set;
  set.files = files;
  set.groups = groups ? groups->count : 0;
  set.subhalos = subhalos ? subhalos->count : 0;
  for (const auto& [type, ids] : members.ids) {
    set.members += ids.size();
    set.types = std::max(set.types, type + 1);
  }
  // Files of a set have columns of the same types, whatever the numbers in each.
  std::vector<ScalarType> scalars;
  for (const HaloTable& table : catalog.tables)
    for (const CatalogColumn& column : table.columns) scalars.push_back(file_scalar(column));
  // The set appears when all of it is on the disk.
  std::vector<std::unique_ptr<Hdf5Writer>> written;
  const auto names = names_of_parts(path, files);
  for (int k = 0; k < files; ++k) {
    CatalogPart part = part_of(catalog, members, groups ? groups->name : "", k, files);
    auto scalar = scalars.begin();
    for (HaloTable& table : part.catalog.tables)
      for (CatalogColumn& column : table.columns) column.scalar = *scalar++;
    set.members_before = std::move(part.members_before);
    written.push_back(FofSubhaloWriter(names[std::size_t(k)], part.catalog, part.members,
                                       provenance, k == 0 ? beside : std::vector<PlainDataset>{},
                                       &set)
                          .written(progress));
    written.back()->finish();
  }
  const outputs::AllOrNone whole;
  for (const auto& file : written) file->commit();
}

}  // namespace haloscope::io
