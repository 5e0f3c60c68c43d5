#include "compute/halos/membership.h"

#include "compute/clusters/clustering.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

namespace haloscope::compute::halos {

namespace {

using Labels = std::vector<std::uint32_t>;

// Labels with enough particles, in the order of the halos. `Count` holds the number of all
// particles.
template <class Count>
std::vector<std::uint32_t> choose_labels(const std::vector<Labels>& labels,
                                         std::uint64_t label_count, std::uint64_t min_members) {
  std::vector<Count> size(label_count, 0);
  for (const auto& kind : labels)
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kind.size(), 4096), [&](const auto& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i)
        if (kind[i] != clusters::kNoise)
          std::atomic_ref(size[kind[i]]).fetch_add(1, std::memory_order_relaxed);
    });
  std::vector<std::uint32_t> chosen;
  for (std::uint64_t label = 0; label < label_count; ++label)
    if (size[label] > 0 && size[label] >= min_members) chosen.push_back(std::uint32_t(label));
  tbb::parallel_sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
    return size[a] != size[b] ? size[a] > size[b] : a < b;
  });
  return chosen;
}

// Counting sort of one kind by halo that keeps the order of rows: every block of rows counts its
// own, and is told by the blocks before it where to begin.
class KindSort {
 public:
  KindSort(const Labels& labels, const Labels& halo_of, std::size_t halos)
      : labels_(labels), halo_of_(halo_of) {
    if (labels.empty()) return;
    // Tables of blocks × halos: no more counts than half the labels, or one block.
    constexpr std::size_t kMostBlocks = 64;
    next_.resize(std::clamp<std::size_t>(labels.size() / (2 * halos + 1), 1, kMostBlocks));
    each_block([&](auto& count, std::size_t begin, std::size_t end) {
      count.assign(halos, 0);
      for (std::size_t i = begin; i < end; ++i)
        if (const std::uint32_t h = halo(i); h != clusters::kNoise) ++count[h];
    });
  }

  // Gives a halo's rows their place from `at` on; returns where they end.
  std::uint64_t place(std::size_t halo, std::uint64_t at) {
    for (auto& block : next_) {
      const std::uint64_t rows = block[halo];
      block[halo] = at;
      at += rows;
    }
    return at;
  }

  // Once all halos have their places.
  void fill(std::vector<std::uint32_t>& rows) {
    each_block([&](auto& to, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (const std::uint32_t h = halo(i); h != clusters::kNoise)
          rows[to[h]++] = std::uint32_t(i);
    });
  }

 private:
  std::uint32_t halo(std::size_t i) const {
    return labels_[i] == clusters::kNoise ? clusters::kNoise : halo_of_[labels_[i]];
  }

  template <class F>
  void each_block(const F& work) {
    if (next_.empty()) return;
    const std::size_t rows = (labels_.size() + next_.size() - 1) / next_.size();
    tbb::parallel_for(std::size_t(0), next_.size(), [&](std::size_t block) {
      work(next_[block], std::min(block * rows, labels_.size()),
           std::min((block + 1) * rows, labels_.size()));
    });
  }

  const Labels &labels_, &halo_of_;
  std::vector<std::vector<std::uint64_t>> next_;  // block, halo: rows, then the next place
};

}  // namespace

HaloMembership gather_members(const std::vector<Labels>& labels, std::uint64_t label_count,
                              std::uint64_t min_members) {
  std::uint64_t particles = 0;
  for (const auto& kind : labels) particles += kind.size();
  const bool fits = particles <= std::numeric_limits<std::uint32_t>::max();
  const auto chosen = fits ? choose_labels<std::uint32_t>(labels, label_count, min_members)
                           : choose_labels<std::uint64_t>(labels, label_count, min_members);
  Labels halo_of(label_count, clusters::kNoise);
  for (std::size_t h = 0; h < chosen.size(); ++h) halo_of[chosen[h]] = std::uint32_t(h);
  std::vector<KindSort> kinds;
  for (const auto& kind : labels) kinds.emplace_back(kind, halo_of, chosen.size());
  HaloMembership members;
  std::uint64_t at = 0;
  for (std::size_t h = 0; h < chosen.size(); ++h)
    for (auto& kind : kinds) {
      members.begin.push_back(at);
      at = kind.place(h, at);
    }
  members.begin.push_back(at);
  members.rows.resize(std::size_t(at));
  for (auto& kind : kinds) kind.fill(members.rows);
  return members;
}

}  // namespace haloscope::compute::halos
