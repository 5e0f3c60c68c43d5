#include "compute/distributed/shared_halos.h"

#include "compute/clusters/clustering.h"
#include "compute/spatial/morton.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace haloscope::compute::distributed {

namespace {

struct Counted {
  std::uint32_t label, count;
};

// By label how many particles of this rank have it.
std::vector<Counted> count_labels(std::span<const KindPart> kinds) {
  std::vector<std::uint32_t> sorted;
  for (const KindPart& kind : kinds)
    std::copy_if(kind.groups.begin(), kind.groups.end(), std::back_inserter(sorted),
                 [](std::uint32_t label) { return label != clusters::kNoise; });
  tbb::parallel_sort(sorted.begin(), sorted.end());
  std::vector<Counted> counted;
  for (const std::uint32_t label : sorted)
    if (counted.empty() || counted.back().label != label)
      counted.push_back({label, 1});
    else
      ++counted.back().count;
  return counted;
}

}  // namespace

LinkedNumbers::LinkedNumbers(const RankedRows& rows, std::span<const KindPart> kinds)
    : rows_(rows) {
  base_.push_back(0);
  for (std::size_t k = 0; k < kinds.size(); ++k)
    base_.push_back(base_.back() + (kinds[k].linked ? rows.total(k) : 0));
}

LinkedNumbers::Place LinkedNumbers::place(std::uint32_t number) const {
  // Kinds that are not linked have no numbers: the last that begins here has.
  const auto after = std::upper_bound(base_.begin(), base_.end(), std::uint64_t(number));
  const auto kind = std::size_t(after - base_.begin()) - 1;
  return {kind, number - base_[kind]};
}

std::vector<SharedHalo> share_halos(Ranks& ranks, const LinkedNumbers& numbers,
                                    std::span<const KindPart> kinds, std::uint64_t min_members) {
  // Labels ascend, and so do the ranks of their particles within a kind: sorted by rank once more.
  std::vector<Counted> counted = count_labels(kinds);
  std::vector<std::uint64_t> counts(std::size_t(ranks.size()), 0), received;
  std::stable_sort(counted.begin(), counted.end(), [&](const Counted& a, const Counted& b) {
    return numbers.rank_of(a.label) < numbers.rank_of(b.label);
  });
  for (const Counted& one : counted) ++counts[std::size_t(numbers.rank_of(one.label))];
  std::vector<Counted> here = ranks.exchange<Counted>(counted, counts, received);
  std::sort(here.begin(), here.end(),
            [](const Counted& a, const Counted& b) { return a.label < b.label; });
  std::vector<SharedHalo> found;
  for (std::size_t i = 0; i < here.size();) {
    SharedHalo halo{here[i].label, 0, {}};
    for (; i < here.size() && here[i].label == halo.label; ++i) halo.members += here[i].count;
    if (halo.members < min_members) continue;
    const auto [kind, row] = numbers.place(halo.label);
    const std::uint64_t own = halo.label - numbers.first(kind);
    for (std::size_t axis = 0; axis < 3; ++axis) halo.at[axis] = kinds[kind].position[axis][own];
    found.push_back(halo);
  }
  found = ranks.all_gather<SharedHalo>(found);
  std::sort(found.begin(), found.end(), [](const SharedHalo& a, const SharedHalo& b) {
    return a.members != b.members ? a.members > b.members : a.label < b.label;
  });
  return found;
}

std::vector<int> workers_of(const std::vector<SharedHalo>& halos, int ranks) {
  std::vector<std::uint32_t> order(halos.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto code = [&](std::uint32_t h) {
    return spatial::morton_code(halos[h].at[0], halos[h].at[1], halos[h].at[2]);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t ca = code(a), cb = code(b);
    return ca != cb ? ca < cb : a < b;
  });
  std::uint64_t all = 0, before = 0;
  for (const SharedHalo& halo : halos) all += halo.members;
  std::vector<int> workers(halos.size(), 0);
  for (const std::uint32_t h : order) {
    // By its middle: a halo larger than a rank's share does not push its neighbors to one rank.
    const double middle = double(before) + double(halos[h].members) / 2;
    workers[h] = std::min(ranks - 1, int(middle / double(all) * ranks));
    before += halos[h].members;
  }
  return workers;
}

}  // namespace haloscope::compute::distributed
