#include "analysis/selection/followed_ids.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"

#include <fmt/format.h>

#include <algorithm>
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
