#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

// Single linkage from a matrix of all distances.
namespace haloscope::test {

struct SlowLinkage {
  std::size_t count = 0;
  std::vector<double> distance;  // of all pairs, row by row

  double at(std::size_t i, std::size_t j) const { return distance[i * count + j]; }

  // Prim's algorithm: lengths of the minimum spanning tree's edges, ascending.
  std::vector<double> heights() const {
    std::vector<double> near(count, HUGE_VAL), heights;
    std::vector<bool> in(count, false);
    std::size_t next = 0;
    for (std::size_t k = 1; k < count; ++k) {
      in[next] = true;
      std::size_t best = count;
      for (std::size_t j = 0; j < count; ++j) {
        if (in[j]) continue;
        near[j] = std::min(near[j], at(next, j));
        if (best == count || near[j] < near[best]) best = j;
      }
      heights.push_back(near[best]);
      next = best;
    }
    std::sort(heights.begin(), heights.end());
    return heights;
  }

  // The component of each point, of pairs up to a length, numbered by their first points; ~0: of
  // fewer than `least` points.
  std::vector<std::uint32_t> components(double length, std::size_t least = 1) const {
    constexpr std::uint32_t kOpen = ~0u - 1;
    std::vector<std::uint32_t> label(count, kOpen);
    std::uint32_t number = 0;
    for (std::size_t first = 0; first < count; ++first) {
      if (label[first] != kOpen) continue;
      std::vector<std::size_t> members{first};
      label[first] = number;
      for (std::size_t k = 0; k < members.size(); ++k)
        for (std::size_t j = 0; j < count; ++j)
          if (label[j] == kOpen && at(members[k], j) <= length) {
            label[j] = number;
            members.push_back(j);
          }
      if (members.size() >= least) {
        ++number;
        continue;
      }
      for (const std::size_t member : members) label[member] = ~0u;
    }
    return label;
  }
};

// Distances of rows of `columns` numbers, across the sides of a periodic box where there is one;
// for core points of `samples` neighbors, themselves included, those of mutual reachability.
inline SlowLinkage slow_linkage(const std::vector<double>& rows, std::size_t columns, double box,
                                std::size_t samples) {
  SlowLinkage linkage;
  const std::size_t n = linkage.count = rows.size() / columns;
  linkage.distance.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        double d = rows[i * columns + c] - rows[j * columns + c];
        if (box > 0) d -= box * std::round(d / box);
        sum += d * d;
      }
      linkage.distance[i * n + j] = std::sqrt(sum);
    }
  if (samples < 2) return linkage;
  std::vector<double> core;
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = linkage.distance.begin() + std::ptrdiff_t(i * n);
    std::vector<double> sorted(begin, begin + std::ptrdiff_t(n));
    std::sort(sorted.begin(), sorted.end());
    core.push_back(sorted[samples - 1]);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j)
        linkage.distance[i * n + j] = std::max({linkage.distance[i * n + j], core[i], core[j]});
  return linkage;
}

}  // namespace haloscope::test
