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

// Rows of a type's list; nothing where the file has none.
std::optional<std::uint64_t> rows_of_list(const std::string& path, int type) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle list = open_hdf5_dataset(file.id(), dataset_of_type(type));
  if (!list) return {};
  return dataset_layout(list.id()).rows();
}

void check_places(const std::vector<std::uint64_t>& first, const std::vector<std::uint64_t>& length,
                  std::uint64_t rows, int type, const std::string& path) {
  for (std::size_t halo = 0; halo < first.size(); ++halo)
    if (first[halo] > rows || length[halo] > rows - first[halo])
      throw BadFile(fmt::format("members of halo {} lie beyond the {} rows of {}", halo, rows,
                                dataset_of_type(type)),
                    path, "copy the catalog again");
}

// The first halo of each file, and one behind the last; nothing where a file of the set is missing,
// or `table` is not that of the groups.
std::optional<std::vector<std::uint64_t>> first_groups(const HaloCatalog& catalog) {
  std::vector<std::uint64_t> first{0};
  for (const std::string& path : catalog.files) {
    const Hdf5Handle file = open_hdf5_file(path);
    const SubhaloTabHeader header = read_subhalo_tab_header(file.id(), path);
    if (header.file_count != catalog.files.size()) return {};
    first.push_back(first.back() + header.groups);
  }
  return first;
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
  // Rows count on from file to file: with one missing, nobody knows where the next ones begin.
  const auto groups = first_groups(catalog);
  if (!groups) return {};
  HaloMembers members;
  for (int type = 0; type < first->components; ++type) {
    std::vector<std::optional<std::uint64_t>> of_file;
    std::uint64_t rows = 0;
    for (const std::string& path : catalog.files) {
      of_file.push_back(rows_of_list(path, type));
      rows += of_file.back().value_or(0);
    }
    if (std::none_of(of_file.begin(), of_file.end(), [](const auto& n) { return n.has_value(); }))
      continue;
    members.offset[type] = component_of(*first, table.count, type);
    members.length[type] = component_of(*length, table.count, type);
    check_places(members.offset[type], members.length[type], rows, type, catalog.files.front());
    require_host_memory(rows * sizeof(std::uint64_t), "the IDs of halos' members");
    LargeVector<std::uint64_t> ids(static_cast<std::size_t>(rows));
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < of_file.size(); ++k) {
      // A reader may have left out rows that cannot be used.
      if (k > 0 && table.name == "Group" && table.count == groups->back() &&
          (*groups)[k] < (*groups)[k + 1] &&
          members.offset[type].at(std::size_t((*groups)[k])) != at)
        throw BadFile("its members do not follow those of the files before it", catalog.files[k],
                      "put the right file of the set in its place");
      if (of_file[k].value_or(0) == 0) continue;
      read_list(catalog.files[k], type, *of_file[k], ids.data() + at, progress);
      at += *of_file[k];
    }
    members.ids[type] = std::move(ids);
  }
  if (members.ids.empty()) return {};
  return members;
}

}  // namespace haloscope::io
