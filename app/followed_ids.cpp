#include "app/followed_ids.h"

#include "core/error.h"
#include "io/loading/particle_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace haloscope::app {

namespace {

constexpr int kBaryons[] = {0, 4, 5};  // gas, stars, black holes

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
    ids.lists[type] = io::id_list(io::load_ids_of(reader, type, kept, progress));
  }
  return ids;
}

io::IdLists as_sought_later(const io::IdLists& lists) {
  io::IdLists sought = lists;
  std::vector<std::uint64_t> all;
  for (const int type : kBaryons)
    if (const auto list = lists.find(type); list != lists.end())
      all.insert(all.end(), list->second->begin(), list->second->end());
  if (all.empty()) return sought;
  const auto baryons = io::id_list(std::move(all));
  for (const int type : kBaryons) sought[type] = baryons;
  return sought;
}

}  // namespace haloscope::app
