#include "io/catalogs/read_halo_members.h"

#include "core/array.h"
#include "core/error.h"
#include "io/catalogs/subhalo_tab_files.h"
#include "io/hdf5/hdf5_column.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/loading/column_dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace haloscope::io {

namespace {

std::string dataset_of_type(int type) {
  return fmt::format("IDs/PartType{}/ParticleIDs", type);
}

std::vector<std::uint64_t> component_of(const CatalogColumn& column, std::uint64_t rows, int k) {
  std::vector<std::uint64_t> values;
  values.reserve(std::size_t(rows));
  std::visit(
      [&](const auto& all) {
        for (std::uint64_t row = 0; row < rows; ++row)
          values.push_back(std::uint64_t(
              all[std::size_t(row) * std::size_t(column.components) + std::size_t(k)]));
      },
      column.values);
  return values;
}

// Reads the list of one file to where it belongs among those of all.
void read_list(const std::string& path, int type, std::uint64_t rows, std::uint64_t* ids,
               Progress& progress) {
  const std::string dataset = dataset_of_type(type);
  RowProgress row_progress(progress, "reading " + dataset, rows);
  read_hdf5_column(
      {path, dataset, "members", 0, rows, 1},
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          std::transform(data, data + chunk.rows, ids + chunk.first,
                         [](auto id) { return std::uint64_t(id); });
        });
      },
      row_progress);
}

// What a file of a set holds.
struct FileOfSet {
  std::uint64_t groups = 0;
  std::vector<std::optional<std::uint64_t>> rows;  // of each type's list, where it has one
};

void check_places(const std::vector<std::uint64_t>& first, const std::vector<std::uint64_t>& length,
                  std::uint64_t rows, int type, const std::string& path) {
  for (std::size_t halo = 0; halo < first.size(); ++halo)
    if (first[halo] > rows || length[halo] > rows - first[halo])
      throw BadFile(fmt::format("members of halo {} lie beyond the {} rows of {}", halo, rows,
                                dataset_of_type(type)),
                    path, "copy the catalog again");
}

// Of each file; nothing where a file of the set is missing.
std::optional<std::vector<FileOfSet>> files_of_set(const HaloCatalog& catalog, int types) {
  std::vector<FileOfSet> files;
  for (const std::string& path : catalog.files) {
    const Hdf5Handle file = open_hdf5_file(path);
    const SubhaloTabHeader header = read_subhalo_tab_header(file.id(), path);
    if (header.file_count != catalog.files.size()) return {};
    FileOfSet& made = files.emplace_back();
    made.groups = header.groups;
    for (int type = 0; type < types; ++type) {
      const Hdf5Handle list = open_hdf5_dataset(file.id(), dataset_of_type(type));
      made.rows.push_back(list ? std::optional(dataset_layout(list.id()).rows()) : std::nullopt);
    }
  }
  return files;
}

}  // namespace

std::optional<HaloMembers> read_halo_members(const HaloCatalog& catalog, const HaloTable& table,
                                             Progress& progress) {
  const CatalogColumn *first = table.find(table.name + "FirstIDType"),
                      *length = table.find(table.name + "LenType");
  if (table.count == 0 || catalog.files.empty() || !first || !length ||
      first->components != length->components ||
      std::holds_alternative<std::vector<double>>(first->values) ||
      std::holds_alternative<std::vector<double>>(length->values))
    return {};
  // Rows continue from file to file: with one missing, nobody knows where the next ones begin.
  const auto files = files_of_set(catalog, first->components);
  if (!files) return {};
  std::uint64_t groups = 0;
  for (const FileOfSet& file : *files) groups += file.groups;
  // Not where the reader has left out rows that cannot be used.
  const bool tells_order = table.name == "Group" && table.count == groups;
  HaloMembers members;
  for (int type = 0; type < first->components; ++type) {
    bool listed = false;
    std::uint64_t rows = 0;
    for (const FileOfSet& file : *files) {
      const auto& own = file.rows[std::size_t(type)];
      listed = listed || own.has_value();
      rows += own.value_or(0);
    }
    if (!listed) continue;
    members.offset[type] = component_of(*first, table.count, type);
    members.length[type] = component_of(*length, table.count, type);
    check_places(members.offset[type], members.length[type], rows, type, catalog.files.front());
    require_host_memory(rows * sizeof(std::uint64_t), "the IDs of halos' members");
    LargeVector<std::uint64_t> ids(static_cast<std::size_t>(rows));
    std::uint64_t at = 0, halo = 0;
    for (std::size_t k = 0; k < files->size(); ++k) {
      const FileOfSet& file = (*files)[k];
      if (k > 0 && tells_order && file.groups > 0 &&
          members.offset[type].at(std::size_t(halo)) != at)
        throw BadFile("its members do not follow those of the files before it", catalog.files[k],
                      "put the right file of the set in its place");
      halo += file.groups;
      const std::uint64_t own = file.rows[std::size_t(type)].value_or(0);
      if (own == 0) continue;
      read_list(catalog.files[k], type, own, ids.data() + at, progress);
      at += own;
    }
    members.ids[type] = std::move(ids);
  }
  if (members.ids.empty()) return {};
  return members;
}

}  // namespace haloscope::io
