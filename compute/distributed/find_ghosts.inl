#pragma once

#include "compute/distributed/domains_view.h"
#include "compute/exec/select.inl"
#include "compute/exec/slices.inl"
#include "compute/spatial/points_view.h"
#include "core/host_device.h"

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

// Which points of a rank lie near the parts of space of others.
namespace haloscope::compute::distributed {

// Cells of a coarse lattice, each with the one rank whose stretch all cubes about its points lie
// in; nearly all points need no more than a look at it.
struct NearCells {
  static constexpr std::uint16_t kSeveral = 0xffff;  // or none that has a number below
  int level;
  std::uint16_t* rank;  // by the cell's Morton code

  HALOSCOPE_HD std::uint64_t cell(const spatial::FixedPoint& p) const {
    return spatial::morton_code(p.x, p.y, p.z) >> (spatial::kMortonBits - 3 * level);
  }
};

struct DescribeNearCells {
  DomainsView domains;
  std::uint32_t reach;
  NearCells cells;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint64_t code = std::uint64_t(c) << (spatial::kMortonBits - 3 * cells.level);
    const std::uint64_t half = (std::uint64_t(1) << (32 - cells.level)) / 2;
    const std::uint64_t wide = half + reach;
    constexpr std::uint64_t kMost = 2147483647;
    int found = 0, which = 0;
    domains.each_near(
        {morton_axis(code >> 2) + std::uint32_t(half), morton_axis(code >> 1) + std::uint32_t(half),
         morton_axis(code) + std::uint32_t(half)},
        std::uint32_t(wide < kMost ? wide : kMost), [&](int rank) {
          ++found;
          which = rank;
        });
    cells.rank[c] =
        found == 1 && which < NearCells::kSeveral ? std::uint16_t(which) : NearCells::kSeveral;
  }
};

// Keeps points that may lie near the stretch of another rank than `self`.
struct MayBeNearOthers {
  spatial::Positions position;
  NearCells cells;
  std::uint32_t self;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return cells.rank[cells.cell(position.at(i))] != self;
  }
};

// One bit for each of 64 ranks from `first` on that a point lies near, but for its own.
struct MarkNearRanks {
  spatial::Positions position;
  DomainsView domains;
  std::uint32_t reach;
  int self, first;
  const std::uint32_t* points;
  std::uint64_t* near;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    std::uint64_t mask = 0;
    domains.each_near(position.at(points[k]), reach, [&](int rank) {
      if (rank != self && rank >= first && rank < first + 64)
        mask |= std::uint64_t(1) << (rank - first);
    });
    near[k] = mask;
  }
};

struct IsNearRank {
  const std::uint64_t* near;
  int bit;
  HALOSCOPE_HD bool operator()(std::uint32_t k) const { return near[k] >> bit & 1; }
};

// What goes from one rank to another.
struct Ghost {
  std::uint32_t x, y, z;
  std::uint32_t number_low, number_high;  // in halves, so that no byte is unused
};

struct PackGhosts {
  spatial::Positions position;
  const std::uint32_t* points;  // near some rank
  const std::uint32_t* chosen;  // those of them that are near this one
  std::uint64_t first;          // number of point 0
  Ghost* ghosts;
  std::uint32_t* index;  // of each among all points of this rank
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = points[chosen[k]];
    const spatial::FixedPoint p = position.at(i);
    const std::uint64_t number = first + i;
    ghosts[k] = {p.x, p.y, p.z, std::uint32_t(number), std::uint32_t(number >> 32)};
    index[k] = i;
  }
};

// Points of this rank for others, rank after rank.
template <class Exec>
struct GhostsForOthers {
  std::uint64_t looked_at = 0;
  std::vector<std::uint64_t> counts;  // by rank
  Buffer<Ghost, Exec> ghosts;
  Buffer<std::uint32_t, Exec> index;  // of each among the points of this rank
};

// Of `count` points of rank `self`, numbered from `first` on.
template <class Exec>
GhostsForOthers<Exec> find_ghosts(Exec& exec, const spatial::Positions& position,
                                  std::uint32_t count, std::uint64_t first, int self,
                                  const std::vector<std::uint64_t>& cuts, std::uint32_t reach) {
  GhostsForOthers<Exec> found;
  const int ranks = int(cuts.size()) + 1;
  found.counts.assign(std::size_t(ranks), 0);
  if (count == 0 || ranks == 1) return found;
  const Buffer<std::uint64_t, Exec> begin = upload(exec, cuts, "domains");
  const DomainsView domains{begin.data(), int(cuts.size())};
  // As many cells as points at most.
  constexpr int kFinest = 7;
  NearCells cells{0, nullptr};
  while (cells.level < kFinest && std::uint64_t(count) >> 3 * (cells.level + 1) > 0) ++cells.level;
  Buffer<std::uint16_t, Exec> of_cells(exec, std::size_t(1) << 3 * cells.level, "domains");
  cells.rank = of_cells.data();
  parallel_for(exec, "domains", of_cells.size(), DescribeNearCells{domains, reach, cells});

  Buffer<std::uint32_t, Exec> points(exec, count, "points near other ranks");
  Buffer<std::uint32_t, Exec> selected(exec, 1, "points near other ranks");
  const auto number_selected = [&] {
    std::uint32_t number = 0;
    exec.download(&number, selected.data(), sizeof number);
    return number;
  };
  const thrust::counting_iterator<std::uint32_t> zero(0);
  select_if(exec, "points near other ranks", zero, count, points.data(), selected.data(),
            MayBeNearOthers{position, cells, std::uint32_t(self)});
  const std::uint32_t some = number_selected();
  found.looked_at = some;
  if (some == 0) return found;

  Buffer<std::uint64_t, Exec> near(exec, some, "points near other ranks");
  std::vector<Buffer<std::uint32_t, Exec>> of_ranks(static_cast<std::size_t>(ranks));
  std::uint64_t all = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r % 64 == 0)
      parallel_for(exec, "points near other ranks", some,
                   MarkNearRanks{position, domains, reach, self, r, points.data(), near.data()});
    if (r == self) continue;
    Buffer<std::uint32_t, Exec> chosen(exec, some, "points near other ranks");
    select_if(exec, "points near other ranks", zero, some, chosen.data(), selected.data(),
              IsNearRank{near.data(), r % 64});
    found.counts[std::size_t(r)] = number_selected();
    all += found.counts[std::size_t(r)];
    of_ranks[std::size_t(r)] = std::move(chosen);
  }
  found.ghosts = Buffer<Ghost, Exec>(exec, std::size_t(all), "ghosts");
  found.index = Buffer<std::uint32_t, Exec>(exec, std::size_t(all), "ghosts");
  std::size_t at = 0;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    parallel_for(exec, "ghosts", std::size_t(found.counts[r]),
                 PackGhosts{position, points.data(), of_ranks[r].data(), first,
                            found.ghosts.data() + at, found.index.data() + at});
    at += std::size_t(found.counts[r]);
  }
  exec.synchronize();
  return found;
}

}  // namespace haloscope::compute::distributed
