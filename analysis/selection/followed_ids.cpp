#include "analysis/selection/followed_ids.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

constexpr int kBaryons[] = {0, 4, 5};  // gas, stars, black holes

using IdList = std::shared_ptr<const std::vector<std::uint64_t>>;

// Ascending lists as one. Billions of IDs may be in them: it is written once into memory that was
// asked for before, and a list that is alone is shared.
IdList merged(const std::vector<IdList>& lists) {
  if (lists.size() == 1) return lists.front();
  std::size_t most = 0;
  for (const IdList& list : lists) most += list->size();
  require_host_memory(most * sizeof(std::uint64_t), "the particle IDs");
  std::vector<std::uint64_t> all;
  all.reserve(most);
  std::vector<std::size_t> next(lists.size(), 0);
  while (true) {
    std::optional<std::uint64_t> least;
    for (std::size_t k = 0; k < lists.size(); ++k)
      if (next[k] < lists[k]->size()) least = std::min((*lists[k])[next[k]], least.value_or(~0ull));
    if (!least) break;
    all.push_back(*least);
    for (std::size_t k = 0; k < lists.size(); ++k)
      while (next[k] < lists[k]->size() && (*lists[k])[next[k]] == *least) ++next[k];
  }
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(all));
}

std::string name_of_file(const SnapshotInfo& info) {
  return std::filesystem::path(info.files.front()).filename().string();
}

}  // namespace

std::uint64_t FollowedIds::count() const {
  std::uint64_t sum = 0;
  for (const auto& [type, list] : lists) sum += list->size();
  return sum;
}

void require_ids(const SnapshotInfo& info, const std::vector<int>& types) {
  const bool any = std::any_of(types.begin(), types.end(),
                               [&](int type) { return io::id_field(info.types.at(type)); });
  if (!any)
    throw Error("there are no particle IDs, by which particles could be told", info.files.front(),
                "select a box, a sphere or a range of values, without follow_ids");
}

FollowedIds ids_of_rows(const io::SnapshotReader& reader, const std::map<int, io::RowMap>& rows,
                        Progress& progress) {
  FollowedIds ids;
  std::vector<int> types;
  for (const auto& [type, kept] : rows) types.push_back(type);
  if (!types.empty()) require_ids(reader.info(), types);
  for (const auto& [type, kept] : rows) {
    const TypeInfo& info = reader.info().types.at(type);
    if (!io::id_field(info)) {
      ids.said.push_back(
          fmt::format("{} has no particle IDs: its {} selected particles are not followed.",
                      info.name, kept.size()));
      continue;
    }
    const auto& list = ids.lists[type] = io::id_list(io::load_ids_of(reader, type, kept, progress));
    if (list->size() < kept.size())
      ids.said.push_back(fmt::format(
          "{} selected particles of {} have only {} in {}: particles of one ID are "
          "followed together.",
          kept.size(), info.name,
          list->size() == 1 ? std::string("one ID") : fmt::format("{} different IDs", list->size()),
          name_of_file(reader.info())));
  }
  return ids;
}

std::vector<std::string> types_without_ids(const SnapshotInfo& info, const std::vector<int>& types,
                                           const io::IdLists& sought) {
  std::vector<std::string> said;
  for (const int type : types) {
    const TypeInfo& one = info.types.at(type);
    const auto list = sought.find(type);
    if (list == sought.end() || list->second->empty() || one.count == 0 || io::id_field(one))
      continue;
    said.push_back(fmt::format("{} has no particle IDs in {}: none of its {} particles is found.",
                               one.name, name_of_file(info), one.count));
  }
  return said;
}

std::vector<std::string> absent_ids(const SnapshotInfo& info, const io::IdLists& sought,
                                    std::uint64_t found) {
  const std::uint64_t all = io::ids_in(sought);
  if (all == 0 || found >= all) return {};
  if (found == 0)
    return {
        fmt::format("{} has none of the {} IDs that are followed: look whether it is of the "
                    "same run. Other snapshots are searched for all of them again.",
                    name_of_file(info), all)};
  return {
      fmt::format("{} lacks {} of the {} IDs that are followed. Other snapshots are searched "
                  "for all of them again.",
                  name_of_file(info), all - found, all)};
}

io::IdLists as_sought_later(const io::IdLists& lists) {
  io::IdLists sought = lists;
  std::vector<IdList> parts;
  for (const int type : kBaryons)
    if (const auto list = lists.find(type); list != lists.end() && !list->second->empty())
      parts.push_back(list->second);
  if (parts.empty()) return sought;
  const IdList baryons = merged(parts);
  for (const int type : kBaryons) sought[type] = baryons;
  return sought;
}

}  // namespace haloscope::analysis
