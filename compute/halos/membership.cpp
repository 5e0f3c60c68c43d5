#include "compute/halos/membership.h"

#include "compute/halos/clustering.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace haloscope::compute::halos {

namespace {

using Labels = std::vector<std::uint32_t>;

// Labels with enough particles, in the order of the halos.
std::vector<std::uint32_t> choose_labels(const std::vector<Labels>& labels,
                                         std::uint64_t label_count, std::uint64_t min_members) {
  std::vector<std::uint32_t> size(label_count, 0);
  for (const auto& kind : labels)
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kind.size(), 4096), [&](const auto& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i)
        if (kind[i] != kNoise)
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
// own, and knows from the blocks before it where to begin.
Membership::Kind gather_kind(const Labels& labels, const std::vector<std::uint32_t>& halo_of,
                             std::uint64_t halos) {
  // Tables of blocks × halos; few blocks where halos are many.
  constexpr std::size_t kMostBlocks = 64, kMostCounts = std::size_t(1) << 26;
  const std::size_t blocks =
      std::clamp<std::size_t>(kMostCounts / (std::size_t(halos) + 1), 1, kMostBlocks);
  const std::size_t rows_each = (labels.size() + blocks - 1) / blocks;
  const auto halo = [&](std::size_t i) {
    return labels[i] == kNoise ? kNoise : halo_of[labels[i]];
  };
  std::vector<std::vector<std::uint64_t>> next(blocks);
  const auto each_block = [&](auto&& work) {
    tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t block) {
      work(next[block], std::min(block * rows_each, labels.size()),
           std::min((block + 1) * rows_each, labels.size()));
    });
  };
  each_block([&](auto& count, std::size_t begin, std::size_t end) {
    count.assign(std::size_t(halos), 0);
    for (std::size_t i = begin; i < end; ++i)
      if (const std::uint32_t h = halo(i); h != kNoise) ++count[h];
  });

  Membership::Kind kind;
  kind.offset.assign(std::size_t(halos) + 1, 0);
  std::uint64_t at = 0;
  for (std::size_t h = 0; h < halos; ++h) {
    kind.offset[h] = at;
    for (auto& block : next) {
      const std::uint64_t n = block[h];
      block[h] = at;
      at += n;
    }
  }
  kind.offset[std::size_t(halos)] = at;
  kind.rows.resize(std::size_t(at));
  each_block([&](auto& to, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const std::uint32_t h = halo(i); h != kNoise) kind.rows[to[h]++] = std::uint32_t(i);
  });
  return kind;
}

}  // namespace

Membership gather_members(const std::vector<Labels>& labels, std::uint64_t label_count,
                          std::uint64_t min_members) {
  const auto chosen = choose_labels(labels, label_count, min_members);
  Labels halo_of(label_count, kNoise);
  for (std::size_t h = 0; h < chosen.size(); ++h) halo_of[chosen[h]] = std::uint32_t(h);
  Membership members;
  for (const auto& kind : labels)
    members.kinds.push_back(gather_kind(kind, halo_of, chosen.size()));
  return members;
}

}  // namespace haloscope::compute::halos
