#include "compute/distributed/shared_halos.h"

#include "compute/clusters/clustering.h"
#include "compute/distributed/outbox.h"
#include "compute/spatial/morton.h"
#include "core/array.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace haloscope::compute::distributed {

namespace {

// How many particles of all ranks have the label of each linked particle of this rank.
class CountsOfLabels {
 public:
  CountsOfLabels(const LinkedNumbers& numbers, std::span<const KindPart> kinds)
      : numbers_(numbers), kinds_(kinds) {
    for (const KindPart& kind : kinds) counts_.emplace_back(kind.linked ? kind.count : 0);
    for (auto& counts : counts_)
      tbb::parallel_for(Range(0, counts.size()), [&](const Range& rows) {
        std::fill(counts.begin() + rows.begin(), counts.begin() + rows.end(), std::uint64_t(0));
      });
  }

  // Labels of other ranks' particles go there: few where halos lie together in a file.
  void count(Ranks& ranks, std::span<const std::uint32_t> labels) {
    LargeVector<std::uint32_t> sent;
    const auto counts = sort_copies(
        ranks.size(), labels.size(),
        [&](std::uint64_t i, const auto& use) {
          const std::uint32_t label = labels[i];
          if (label != clusters::kNoise && !own(label))
            use(std::size_t(numbers_.rank_of(label)), label);
        },
        [&](std::size_t total) { sent.resize(total); },
        [&](std::size_t to, std::uint64_t, std::uint32_t label) { sent[to] = label; });
    add(labels);
    std::vector<std::uint64_t> received;
    add(ranks.exchange_many<std::uint32_t>(sent, counts, received));
  }

  // Those that enough particles have.
  std::vector<SharedHalo> halos(std::uint64_t min_members) const {
    tbb::enumerable_thread_specific<std::vector<SharedHalo>> found;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      tbb::parallel_for(Range(0, counts_[k].size()), [&](const Range& rows) {
        auto& some = found.local();
        for (std::size_t i = rows.begin(); i < rows.end(); ++i) {
          const std::uint64_t members = counts_[k][i];
          if (members == 0 || members < min_members) continue;
          SharedHalo halo{numbers_.first(k) + std::uint32_t(i),
                          std::uint32_t(std::min(members, kMostMembers)),
                          {}};
          for (std::size_t axis = 0; axis < 3; ++axis) halo.at[axis] = kinds_[k].position[axis][i];
          some.push_back(halo);
        }
      });
    std::vector<SharedHalo> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  using Range = tbb::blocked_range<std::size_t>;
  static constexpr std::uint64_t kMostMembers = 0xffffffff;

  // Null: of a particle of another rank.
  std::uint64_t* own(std::uint32_t label) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const std::uint32_t row = label - numbers_.first(k);
      if (label >= numbers_.first(k) && row < counts_[k].size()) return &counts_[k][row];
    }
    return nullptr;
  }

  void add(std::span<const std::uint32_t> labels) {
    tbb::parallel_for(Range(0, labels.size(), kGrain), [&](const Range& rows) {
      // Members of a halo often stand together in a file.
      for (std::size_t i = rows.begin(); i < rows.end();) {
        const std::uint32_t label = labels[i];
        const std::size_t first = i;
        while (i < rows.end() && labels[i] == label) ++i;
        if (label == clusters::kNoise) continue;
        if (std::uint64_t* const of = own(label))
          std::atomic_ref(*of).fetch_add(i - first, std::memory_order_relaxed);
      }
    });
  }

  static constexpr std::size_t kGrain = 4096;
  const LinkedNumbers& numbers_;
  const std::span<const KindPart> kinds_;
  std::vector<LargeVector<std::uint64_t>> counts_;  // by kind and row of this rank
};

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
  CountsOfLabels counts(numbers, kinds);
  for (const KindPart& kind : kinds) counts.count(ranks, kind.groups);
  std::vector<SharedHalo> found = counts.halos(min_members);
  found = ranks.all_gather<SharedHalo>(found);
  tbb::parallel_sort(found.begin(), found.end(), [](const SharedHalo& a, const SharedHalo& b) {
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
