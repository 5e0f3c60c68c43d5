#include "app/member_comparison.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace haloscope::app {

namespace {

using Ids = std::vector<std::uint64_t>;

Ids sorted_members(const HaloMembers& members, int type, std::uint64_t halo) {
  const auto at = std::size_t(halo);
  const auto first = members.ids.at(type).begin() + std::ptrdiff_t(members.offset.at(type)[at]);
  Ids ids(first, first + std::ptrdiff_t(members.length.at(type)[at]));
  std::sort(ids.begin(), ids.end());
  return ids;
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
  for (const auto& [type, ids] : first.ids)
    if (second.ids.count(type)) result.types.push_back(type);
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

}  // namespace haloscope::app
