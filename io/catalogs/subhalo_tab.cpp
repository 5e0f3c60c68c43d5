#include "io/catalogs/subhalo_tab.h"

#include "core/array.h"
#include "core/error.h"
#include "io/catalogs/catalog_roles.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/subhalo_tab_files.h"
#include "io/catalogs/subhalo_tab_units.h"
#include "io/catalogs/tree_tables.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/loading/column_dispatch.h"
#include "io/snapshots/field_scaling.h"
#include "io/snapshots/hdf5_dialect.h"
#include "io/snapshots/hdf5_particle_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace haloscope::io {

namespace {

// deflate reaches 1032 to 1; what claims more was never written.
constexpr std::uint64_t kLargestCompression = 1100;
// A row of a catalog: profiles and tables per element have some dozens of values.
constexpr int kMostComponents = 4096;

// The header's count is checked against the bytes in the file before anything is allocated.
void check_stored(hid_t dataset, const DatasetLayout& layout, const std::string& where,
                  const std::string& path) {
  Hdf5Lock lock;
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  // As in the file: one-byte integers are widened only in memory.
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const std::uint64_t row = std::max<std::uint64_t>(1, H5Tget_size(type.id())) *
                            std::uint64_t(std::max(1, layout.components()));
  std::error_code ignored;
  const std::uint64_t size = std::filesystem::file_size(path, ignored);
  const std::uint64_t most = (std::min(stored, size) + 4096) * kLargestCompression;
  const std::uint64_t plain = layout.filters.empty() ? stored + 4096 : most;
  if (layout.rows() == 0 || (stored > 0 && layout.rows() <= std::min(plain, most) / row)) return;
  throw BadFile(fmt::format("dataset {} claims {} rows, but only {} bytes of it are in the file",
                            where, layout.rows(), std::min(stored, size)),
                path, "copy the catalog again");
}

// Up to the digits of the parsec and the solar mass.
bool same_unit(const FieldScaling& a, const FieldScaling& b) {
  return a.a == b.a && a.h == b.h && std::abs(a.to_cgs - b.to_cgs) < 5e-3 * std::abs(b.to_cgs);
}

// All files' share of one dataset.
struct Part {
  const SubhaloTabFile* file;
  std::uint64_t rows;
};

class TableReader {
 public:
  TableReader(const SubhaloTabSet& set, const std::string& name, const Units& units,
              Progress& progress)
      : set_(set), units_(units), progress_(progress) {
    table_.name = name;
    for (const auto& file : set.files) {
      const std::uint64_t rows = name == "Group" ? file.header.groups : file.header.subhalos;
      if (rows == 0) continue;
      if (__builtin_add_overflow(table_.count, rows, &table_.count))
        throw BadFile("the counts in /Header cannot be", file.path);
      parts_.push_back({&file, rows});
    }
  }

  HaloTable run() {
    if (parts_.empty()) {
      list_empty_columns();
    } else {
      const Hdf5Handle file = open_hdf5_file(parts_.front().file->path);
      const Hdf5Handle group = open_hdf5_group(file.id(), table_.name);
      if (!group)
        throw BadFile(fmt::format("group {} is missing though /Header counts {} rows", table_.name,
                                  parts_.front().rows),
                      parts_.front().file->path, "copy the catalog again");
      for (const auto& name : dataset_names(group.id())) list_column(group.id(), name);
      // Else nothing would stand against the header's count.
      if (table_.columns.empty())
        throw BadFile(fmt::format("group {} has no column of numbers though /Header counts {} rows",
                                  table_.name, table_.count),
                      parts_.front().file->path, "copy the catalog again");
      check_all_files();
      require_memory();
      for (auto& column : table_.columns) read_column(column);
    }
    assign_halo_roles(table_);
    return std::move(table_);
  }

 private:
  // What the catalog would tell of halos is worth knowing where it has none, too.
  void list_empty_columns() {
    const Hdf5Handle file = open_hdf5_file(set_.files.front().path);
    const Hdf5Handle group = open_hdf5_group(file.id(), table_.name);
    if (!group) return;
    for (const auto& name : dataset_names(group.id())) list_column(group.id(), name);
    for (auto& column : table_.columns) read_column(column);
  }

  void list_column(hid_t group, const std::string& name) {
    const Hdf5Handle dataset = open_hdf5_dataset(group, name);
    const DatasetLayout layout = dataset_layout(dataset.id());
    if (!layout.numeric || layout.shape.empty() || layout.shape.size() > 2) return;
    if (layout.components() < 1 || layout.components() > kMostComponents) return;
    CatalogColumn column;
    column.name = name;
    column.components = layout.components();
    column.scalar = layout.scalar;
    describe_column(dataset.id(), column);
    table_.columns.push_back(std::move(column));
  }

  // By the notes that our own catalogs carry, or by name.
  void describe_column(hid_t dataset, CatalogColumn& column) const {
    const bool gadget4 = set_.files.front().header.gadget4;
    if (has_attribute(dataset, "unit"))
      set_unit(column, text_attribute(dataset, "unit").value_or(""));
    else
      set_unit(column, subhalo_tab_unit(column.name, units_, gadget4));
    column.description = text_attribute(dataset, "description").value_or("");
    if (!has_attribute(dataset, "to_cgs")) return;
    const auto noted = read_field_scaling(dataset, units_);
    // A solar mass is the same in all catalogs, whatever digits a code gave it.
    if (noted && !(column.scaling && same_unit(*column.scaling, *noted))) column.scaling = noted;
  }

  std::string dataset_of(const CatalogColumn& column) const {
    return table_.name + "/" + column.name;
  }

  void check_all_files() {
    for (const auto& part : parts_) {
      const Hdf5Handle file = open_hdf5_file(part.file->path);
      for (const auto& column : table_.columns) {
        const Hdf5Handle dataset = open_hdf5_dataset(file.id(), dataset_of(column));
        if (!dataset)
          throw BadFile(fmt::format("dataset {} is missing though /Header counts {} rows of {}",
                                    dataset_of(column), part.rows, table_.name),
                        part.file->path, "copy the catalog again");
        const DatasetLayout layout = dataset_layout(dataset.id());
        if (layout.rows() != part.rows || layout.components() != column.components)
          throw BadFile(fmt::format("dataset {} has the wrong shape: expected {} x {}, found {}",
                                    dataset_of(column), part.rows, column.components,
                                    shape_text(layout.shape)),
                        part.file->path, "copy the catalog again");
        check_stored(dataset.id(), layout, dataset_of(column), part.file->path);
      }
    }
  }

  void require_memory() const {
    std::uint64_t values = 0;
    for (const auto& column : table_.columns) values += std::uint64_t(column.components);
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(values * 8, table_.count, &bytes))
      throw BadFile("the counts in /Header cannot be", parts_.front().file->path);
    require_host_memory(bytes, "the halo catalog");
  }

  void read_column(CatalogColumn& column) {
    const bool whole = column.scalar != ScalarType::Float32 && column.scalar != ScalarType::Float64;
    const std::size_t size = std::size_t(table_.count) * std::size_t(column.components);
    if (!whole)
      column.values = std::vector<double>(size);
    else if (column.scalar == ScalarType::UInt64 || column.scalar == ScalarType::UInt32)
      column.values = std::vector<std::uint64_t>(size);
    else
      column.values = std::vector<std::int64_t>(size);
    RowProgress rows(progress_, "reading " + dataset_of(column), table_.count);
    std::visit([&](auto& values) { read_values(column, values, rows); }, column.values);
  }

  template <class T>
  void read_values(const CatalogColumn& column, std::vector<T>& values, RowProgress& rows) {
    std::uint64_t first = 0;
    for (const auto& part : parts_) {
      const auto n = std::uint64_t(column.components);
      read_hdf5_column(
          {part.file->path, dataset_of(column), table_.name, first, part.rows, column.components},
          [&](const ColumnChunk& chunk) {
            with_typed_data(chunk, [&](const auto* data) {
              std::transform(data, data + chunk.rows * n,
                             values.begin() + std::ptrdiff_t(chunk.first * n),
                             [](auto v) { return T(v); });
            });
          },
          rows);
      first += part.rows;
    }
  }

  const SubhaloTabSet& set_;
  const Units& units_;
  Progress& progress_;
  HaloTable table_;
  std::vector<Part> parts_;
};

// Box, time, cosmology and units lie where the same codes' snapshots have them.
void describe(const SubhaloTabFile& file, HaloCatalog& catalog) {
  const Hdf5Handle handle = open_hdf5_file(file.path);
  const auto dialect = file.header.gadget4 ? Hdf5Dialect::Gadget4 : Hdf5Dialect::Arepo;
  const GadgetHeader header = read_hdf5_header(handle.id(), file.path, dialect);
  SnapshotInfo info;
  describe_cosmology(header, info);
  catalog.box_size = info.box_size;
  catalog.periodic = info.periodic;
  catalog.time = info.time;
  catalog.cosmology = info.cosmology;
  catalog.hubble_known = header.hubble_param.has_value();
  catalog.units = info.units;
  catalog.assumed = sentences_of(info.assumed);
  if (!header.length_cm || !header.mass_g || !header.velocity_cm_per_s)
    catalog.assumed.push_back(
        "The catalog does not name its units: took kpc/h, 1e10 Msun/h and km/s.");
}

void compare_totals(const SubhaloTabSet& set, HaloCatalog& catalog) {
  const auto compare = [&](const char* what, std::uint64_t announced, std::uint64_t found) {
    if (announced != found)
      catalog.assumed.push_back(
          fmt::format("The header announces {} {}, the files hold {}.", announced, what, found));
  };
  compare("groups", set.files.front().header.groups_total, catalog.tables[0].count);
  compare("subhalos", set.files.front().header.subhalos_total, catalog.tables[1].count);
}

// The layout is GADGET-4's; who reads of it wants to know that GADGET-4 did not find the halos, and
// whether it is halos that were found.
std::string format_of(const SubhaloTabFile& file) {
  const Hdf5Handle handle = open_hdf5_file(file.path);
  const Hdf5Handle origin = open_hdf5_group(handle.id(), "Provenance");
  if (!text_attribute(origin.id(), "Program").value_or("").starts_with("haloscope"))
    return file.header.gadget4 ? "GADGET-4 fof_subhalo_tab" : "AREPO fof_subhalo_tab";
  if (hdf5_exists(handle.id(), "Pairs/birth"))
    return holds_voids(handle.id()) ? kVoidsFormat : kPeaksFormat;
  return hdf5_exists(handle.id(), "Tree/weight") ? kClustersFormat : "haloscope fof_subhalo_tab";
}

// Of a table or a grid without units.
bool is_bare(const SubhaloTabFile& file) {
  const Hdf5Handle handle = open_hdf5_file(file.path);
  const Hdf5Handle parameters = open_hdf5_group(handle.id(), "Provenance/Parameters");
  const auto points = text_attribute(parameters.id(), kPointsParameter);
  return points == kRowsOfTable || points == kCellsOfGrid;
}

}  // namespace

bool holds_voids(hid_t file) {
  Hdf5Lock lock;
  const Hdf5Handle parameters = open_hdf5_group(file, "Provenance/Parameters");
  return text_attribute(parameters.id(), kLevelsParameter) == kFromMinima;
}

bool is_subhalo_tab(hid_t file) {
  Hdf5Lock lock;
  const Hdf5Handle header = open_hdf5_group(file, "Header");
  return has_attribute(header.id(), "Ngroups_Total") &&
         !has_attribute(header.id(), "NumPart_ThisFile");
}

HaloCatalog open_subhalo_tab(const std::string& path, const CatalogOptions& options,
                             Progress& progress) {
  const SubhaloTabSet set = find_subhalo_tab_files(path, options);
  HaloCatalog catalog;
  catalog.format = format_of(set.files.front());
  for (const auto& file : set.files) catalog.files.push_back(file.path);
  describe(set.files.front(), catalog);
  const bool is_halos = catalog.format != kClustersFormat && catalog.format != kPeaksFormat &&
                        catalog.format != kVoidsFormat;
  if (!is_halos && is_bare(set.files.front())) {
    catalog.cosmology = {};
    catalog.hubble_known = false;
  }
  catalog.assumed.insert(catalog.assumed.end(), set.assumed.begin(), set.assumed.end());
  for (const char* name : {"Group", "Subhalo"})
    catalog.tables.push_back(TableReader(set, name, catalog.units, progress).run());
  compare_totals(set, catalog);
  // Clusters of a table or of a cut have none within them, nor have peaks.
  if (!is_halos)
    std::erase_if(catalog.tables, [](const HaloTable& table) {
      return table.name == "Subhalo" && table.count == 0;
    });
  for (auto& table : catalog.tables)
    if (const std::uint64_t dropped = drop_unusable_rows(table))
      catalog.assumed.push_back(
          fmt::format("{} rows of {} are left out: position or mass is not a finite number.",
                      dropped, table.name));
  return catalog;
}

}  // namespace haloscope::io
