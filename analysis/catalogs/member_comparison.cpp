#include "analysis/catalogs/member_comparison.h"

#include "core/array.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>

namespace haloscope::analysis {

namespace {

using Ids = std::vector<std::uint64_t>;

Ids sorted_members(const HaloMembers& members, int type, std::uint64_t halo) {
  const auto at = std::size_t(halo);
  const auto first = members.ids.at(type).begin() + std::ptrdiff_t(members.offset.at(type)[at]);
  Ids ids(first, first + std::ptrdiff_t(members.length.at(type)[at]));
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<int> types_of_both(const HaloMembers& first, const HaloMembers& second) {
  std::vector<int> types;
  for (const auto& [type, ids] : first.ids)
    if (second.ids.count(type)) types.push_back(type);
  return types;
}

struct Owned {
  std::uint64_t id = 0, halo = 0;
};

// The members of one type of the halos that are still without a partner, by ID.
std::vector<Owned> owners(const HaloMembers& members, int type, const std::vector<char>& matched) {
  const auto &offset = members.offset.at(type), &length = members.length.at(type);
  const auto& ids = members.ids.at(type);
  std::uint64_t count = 0;
  for (std::size_t halo = 0; halo < matched.size(); ++halo)
    if (!matched[halo]) count += length[halo];
  require_host_memory(count * sizeof(Owned), "the IDs of unmatched halos' members");
  std::vector<Owned> owned;
  owned.reserve(std::size_t(count));
  for (std::size_t halo = 0; halo < matched.size(); ++halo) {
    if (matched[halo]) continue;
    for (std::uint64_t k = 0; k < length[halo]; ++k)
      owned.push_back({ids[std::size_t(offset[halo] + k)], halo});
  }
  tbb::parallel_sort(owned.begin(), owned.end(),
                     [](const Owned& a, const Owned& b) { return a.id < b.id; });
  return owned;
}

std::uint64_t member_count(const HaloMembers& members, const std::vector<int>& types,
                           std::size_t halo) {
  std::uint64_t count = 0;
  for (const int type : types) count += members.length.at(type)[halo];
  return count;
}

struct Shared {
  std::uint64_t both = 0, either = 0;
  // Halos without members of the types are no worse than equal.
  double part() const { return either == 0 ? 1 : double(both) / double(either); }
};

}  // namespace

std::optional<MemberComparison> compare_members(const HaloMembers& first, const HaloMembers& second,
                                                const std::vector<HaloPair>& pairs) {
  MemberComparison result;
  result.types = types_of_both(first, second);
  if (result.types.empty()) return {};
  std::vector<Shared> shared(pairs.size());
  tbb::parallel_for(std::size_t(0), pairs.size(), [&](std::size_t p) {
    for (const int type : result.types) {
      const Ids a = sorted_members(first, type, pairs[p].first),
                b = sorted_members(second, type, pairs[p].second);
      Ids both;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      shared[p].both += both.size();
      shared[p].either += a.size() + b.size() - both.size();
    }
  });
  std::vector<double> parts;
  for (const Shared& one : shared) {
    parts.push_back(one.part());
    result.same += one.both == one.either;
  }
  std::sort(parts.begin(), parts.end());
  if (!parts.empty()) {
    result.least = parts.front();
    result.tenth = parts[parts.size() / 10];
    result.median = parts[parts.size() / 2];
  }
  return result;
}

std::vector<std::array<std::uint64_t, 2>> pairs_by_members(const HaloMembers& first,
                                                           const HaloMembers& second,
                                                           const std::vector<HaloPair>& pairs) {
  const std::vector<int> types = types_of_both(first, second);
  if (types.empty()) return {};
  std::vector<char> first_matched(first.length.at(types.front()).size(), 0),
      second_matched(second.length.at(types.front()).size(), 0);
  for (const auto& pair : pairs)
    first_matched[std::size_t(pair.first)] = second_matched[std::size_t(pair.second)] = 1;
  const auto all = [](const std::vector<char>& matched) {
    return std::find(matched.begin(), matched.end(), 0) == matched.end();
  };
  if (all(first_matched) || all(second_matched)) return {};
  std::map<int, std::vector<Owned>> owned;
  for (const int type : types) owned[type] = owners(second, type, second_matched);

  std::vector<std::optional<std::uint64_t>> partner(first_matched.size());
  tbb::parallel_for(std::size_t(0), partner.size(), [&](std::size_t halo) {
    if (first_matched[halo]) return;
    std::map<std::uint64_t, std::uint64_t> shared;  // members by halo of the second catalog
    for (const int type : types)
      for (const std::uint64_t id : sorted_members(first, type, halo)) {
        const auto& list = owned.at(type);
        const auto at = std::lower_bound(list.begin(), list.end(), id,
                                         [](const Owned& o, std::uint64_t i) { return o.id < i; });
        if (at != list.end() && at->id == id) ++shared[at->halo];
      }
    const std::uint64_t mine = member_count(first, types, halo);
    for (const auto& [other, count] : shared)
      if (2 * count > mine && 2 * count > member_count(second, types, std::size_t(other)))
        partner[halo] = other;
  });

  std::vector<std::array<std::uint64_t, 2>> found;
  for (std::size_t halo = 0; halo < partner.size(); ++halo) {
    // Two of the first can only want the same one where the catalog lists members twice.
    if (!partner[halo] || second_matched[std::size_t(*partner[halo])]) continue;
    second_matched[std::size_t(*partner[halo])] = 1;
    found.push_back({halo, *partner[halo]});
  }
  return found;
}

}  // namespace haloscope::analysis
