#include "io/catalogs/write_halo_members.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

namespace haloscope::io {

namespace {

using RowsByType = std::map<int, std::vector<std::uint64_t>>;

// IDs gathered for one write.
constexpr std::size_t kPieceIds = std::size_t(1) << 20;
constexpr const char* kPhase = "writing members' IDs";

std::string dataset_of_type(int type) {
  return fmt::format("IDs/PartType{}/ParticleIDs", type);
}

void check_type(const HaloMembers& members, int type, std::uint64_t halos,
                const std::string& path) {
  const auto mismatch = [&](const std::string& what) {
    return Error(what, path, "this is a fault of haloscope: please report it");
  };
  const auto offset = members.offset.find(type), length = members.length.find(type);
  if (offset == members.offset.end() || length == members.length.end() ||
      offset->second.size() != halos || length->second.size() != halos)
    throw mismatch(fmt::format("the members of type {} are not those of {} halos", type, halos));
  const std::uint64_t ids = members.ids.at(type).size();
  std::uint64_t listed = 0;
  for (std::size_t halo = 0; halo < halos; ++halo) {
    const std::uint64_t first = offset->second[halo], rows = length->second[halo];
    if (first > ids || rows > ids - first)
      throw mismatch(
          fmt::format("members of type {} of halo {} lie beyond its {} IDs", type, halo, ids));
    listed += rows;
  }
  if (listed != ids)
    throw mismatch(
        fmt::format("the halos have {} members of type {}, but {} IDs", listed, type, ids));
}

// Adds the lists of a type to its component, or those of all types to the only one.
void add_lists(CatalogColumn& column, const HaloMembers& members, const RowsByType& lists) {
  auto& values = std::get<std::vector<std::uint64_t>>(column.values);
  const auto types = std::size_t(column.components);
  for (const auto& [type, ids] : members.ids) {
    const auto& list = lists.at(type);
    for (std::size_t halo = 0; halo < list.size(); ++halo)
      values[types == 1 ? halo : halo * types + std::size_t(type)] += list[halo];
  }
}

bool in_order_of_halos(const HaloMembers& members, int type) {
  const auto &offset = members.offset.at(type), &length = members.length.at(type);
  std::uint64_t next = 0;
  for (std::size_t halo = 0; halo < offset.size(); ++halo) {
    if (offset[halo] != next) return false;
    next += length[halo];
  }
  return true;
}

void write_ids_of_type(Hdf5Writer& writer, int type, const LargeVector<std::uint64_t>& ids,
                       bool of_set, Progress& progress) {
  const std::string name = dataset_of_type(type);
  const Hdf5Handle dataset = writer.dataset(name, ScalarType::UInt64, ids.size(), 1);
  for (std::size_t at = 0; at < ids.size(); at += kPieceIds) {
    progress.report(kPhase, double(at) / double(ids.size()));
    writer.write_rows(dataset.id(), name, ScalarType::UInt64, at,
                      std::min(kPieceIds, ids.size() - at), 1, ids.data() + at);
  }
  writer.text(
      dataset.id(), "description",
      fmt::format("IDs of the members of type {0}: of halo i the Group/GroupLenType[i, {0}] "
                  "rows from Group/GroupFirstIDType[i, {0}] on{1}",
                  type, of_set ? ", counted through the lists of all files of the set" : ""));
}

void write_ids_of_all(Hdf5Writer& writer, const HaloMembers& members, std::uint64_t halos,
                      Progress& progress) {
  const std::string name = "IDs/ID";
  std::uint64_t all = 0, written = 0;
  for (const auto& [type, ids] : members.ids) all += ids.size();
  const Hdf5Handle dataset = writer.dataset(name, ScalarType::UInt64, all, 1);
  std::vector<std::uint64_t> piece;
  const auto flush = [&] {
    progress.report(kPhase, all == 0 ? 1 : double(written) / double(all));
    writer.write_rows(dataset.id(), name, ScalarType::UInt64, written, piece.size(), 1,
                      piece.data());
    written += piece.size();
    piece.clear();
  };
  for (std::size_t halo = 0; halo < halos; ++halo)
    for (const auto& [type, ids] : members.ids) {
      const auto first = ids.begin() + std::ptrdiff_t(members.offset.at(type)[halo]);
      piece.insert(piece.end(), first, first + std::ptrdiff_t(members.length.at(type)[halo]));
      if (piece.size() >= kPieceIds) flush();
    }
  flush();
  writer.text(
      dataset.id(), "description",
      "IDs of the members of all types: the Group/GroupLen of the first halo, then those of "
      "the next, in each halo type after type");
}

}  // namespace

void check_members(const HaloMembers& members, std::uint64_t halos, const std::string& path) {
  for (const auto& [type, ids] : members.ids) check_type(members, type, halos, path);
}

std::vector<CatalogColumn> columns_of_members(const HaloMembers& members, const HaloTable& table,
                                              int types) {
  std::vector<CatalogColumn> columns;
  if (members.ids.empty()) return columns;
  const auto add = [&](const char* name, int components, const RowsByType& lists,
                       const char* description) {
    if (table.find(name)) return;
    CatalogColumn column;
    column.name = name;
    column.components = components;
    column.scalar = ScalarType::UInt64;
    column.values = std::vector<std::uint64_t>(table.count * std::uint64_t(components));
    column.description = description;
    add_lists(column, members, lists);
    columns.push_back(std::move(column));
  };
  add("GroupLen", 1, members.length, "members of all types");
  add("GroupLenType", types, members.length, "members of each type");
  add("GroupFirstIDType", types, members.offset,
      "the halo's first row in IDs/PartTypeN/ParticleIDs, for each type N; no row of the snapshot");
  return columns;
}

std::uint64_t bytes_of_members(const HaloMembers& members) {
  std::uint64_t ids = 0;
  for (const auto& [type, list] : members.ids) ids += list.size();
  const bool linked =
      members.ids.size() == 1 && in_order_of_halos(members, members.ids.begin()->first);
  return ids * sizeof(std::uint64_t) * (linked ? 1 : 2);
}

void write_members(Hdf5Writer& writer, const HaloMembers& members, std::uint64_t halos, bool of_set,
                   Progress& progress) {
  if (members.ids.empty()) return;
  for (const auto& [type, ids] : members.ids)
    write_ids_of_type(writer, type, ids, of_set, progress);
  const int first = members.ids.begin()->first;
  if (members.ids.size() == 1 && in_order_of_halos(members, first))
    writer.link(dataset_of_type(first), "IDs/ID");
  else
    write_ids_of_all(writer, members, halos, progress);
}

}  // namespace haloscope::io
