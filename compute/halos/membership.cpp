#include "compute/halos/membership.h"

#include "compute/clusters/clustering.h"
#include "core/array.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

namespace haloscope::compute::halos {

namespace {

using Labels = std::span<const std::uint32_t>;

constexpr std::size_t kBlock = std::size_t(1) << 16;

// By label its number of particles, and afterwards its halo or kNoise.
template <class Count>
class HalosOfLabels {
 public:
  HalosOfLabels(const std::vector<Labels>& labels, std::uint64_t label_count,
                std::uint64_t min_members, HaloOrder order)
      : of_(std::size_t(label_count)) {
    each_block([&](std::size_t begin, std::size_t end) {
      std::fill(of_.begin() + begin, of_.begin() + end, Count(0));
    });
    for (const Labels& kind : labels)
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kind.size(), 4096),
                        [&](const auto& part) {
                          for (std::size_t i = part.begin(); i != part.end(); ++i)
                            if (kind[i] != clusters::kNoise)
                              std::atomic_ref(of_[kind[i]]).fetch_add(1, std::memory_order_relaxed);
                        });
    number_halos(min_members, order);
  }

  std::size_t halos() const { return halos_; }
  std::uint32_t operator[](std::uint32_t label) const { return std::uint32_t(of_[label]); }

 private:
  struct Chosen {
    Count size;
    std::uint32_t label;
    bool operator<(const Chosen& other) const {
      return size != other.size ? size > other.size : label < other.label;
    }
  };

  template <class F>
  void each_block(const F& work) {
    tbb::parallel_for(std::size_t(0), (of_.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      work(b * kBlock, std::min((b + 1) * kBlock, of_.size()));
    });
  }

  // Those with enough particles, in the order of the halos.
  void number_halos(std::uint64_t min_members, HaloOrder order) {
    tbb::enumerable_thread_specific<std::vector<Chosen>> found;
    each_block([&](std::size_t begin, std::size_t end) {
      auto& own = found.local();
      for (std::size_t label = begin; label < end; ++label) {
        if (of_[label] > 0 && of_[label] >= min_members)
          own.push_back({of_[label], std::uint32_t(label)});
        of_[label] = Count(clusters::kNoise);
      }
    });
    std::vector<Chosen> chosen;
    for (const auto& own : found) chosen.insert(chosen.end(), own.begin(), own.end());
    if (order == HaloOrder::BySize)
      tbb::parallel_sort(chosen.begin(), chosen.end());
    else
      tbb::parallel_sort(chosen.begin(), chosen.end(),
                         [](const Chosen& a, const Chosen& b) { return a.label < b.label; });
    halos_ = chosen.size();
    for (std::size_t h = 0; h < halos_; ++h) of_[chosen[h].label] = Count(h);
  }

  Array<Count> of_;
  std::size_t halos_ = 0;
};

// Counting sort of one kind by halo that keeps the order of rows: every block of rows counts its
// own, and is told by the blocks before it where to begin.
template <class Count>
class KindSort {
 public:
  KindSort(const Labels& labels, const HalosOfLabels<Count>& halo_of)
      : labels_(labels), halo_of_(halo_of) {
    if (labels.empty()) return;
    const std::size_t halos = halo_of.halos();
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
  void fill(LargeVector<std::uint32_t>& rows) {
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

  const Labels labels_;
  const HalosOfLabels<Count>& halo_of_;
  std::vector<std::vector<std::uint64_t>> next_;  // block, halo: rows, then the next place
};

// `Count` holds the number of all particles.
template <class Count>
HaloMembership gather(const std::vector<Labels>& labels, std::uint64_t label_count,
                      std::uint64_t min_members, HaloOrder order) {
  const HalosOfLabels<Count> halo_of(labels, label_count, min_members, order);
  std::vector<KindSort<Count>> kinds;
  for (const Labels& kind : labels) kinds.emplace_back(kind, halo_of);
  HaloMembership members;
  std::uint64_t at = 0;
  for (std::size_t h = 0; h < halo_of.halos(); ++h)
    for (auto& kind : kinds) {
      members.begin.push_back(at);
      at = kind.place(h, at);
    }
  members.begin.push_back(at);
  members.rows.resize(std::size_t(at));
  for (auto& kind : kinds) kind.fill(members.rows);
  return members;
}

}  // namespace

HaloMembership gather_members(const std::vector<std::span<const std::uint32_t>>& labels,
                              std::uint64_t label_count, std::uint64_t min_members,
                              HaloOrder order) {
  std::uint64_t particles = 0;
  for (const Labels& kind : labels) particles += kind.size();
  return particles <= std::numeric_limits<std::uint32_t>::max()
             ? gather<std::uint32_t>(labels, label_count, min_members, order)
             : gather<std::uint64_t>(labels, label_count, min_members, order);
}

}  // namespace haloscope::compute::halos
