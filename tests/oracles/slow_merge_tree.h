#pragma once

#include "compute/topology/grid.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

// A merge tree by a sweep over all cells in order, one after another, with a union-find.
namespace haloscope::test {

template <class T>
struct SlowMergeTree {
  static constexpr std::uint32_t kNobody = ~0u;

  compute::topology::GridShape shape;
  std::vector<T> value;
  int neighbors = 14;
  bool superlevels = true;

  // Of each cell; kNobody where the sweep did not come.
  std::vector<std::uint32_t> saddle, top;  // its triplet
  std::vector<std::uint32_t> basin;        // the maximum of its steepest ascent
  std::vector<std::uint32_t> across;       // of maxima that end: the basin beyond the saddle
  std::vector<std::uint32_t> maxima;       // from the highest to the lowest

  bool is_before(std::uint32_t a, std::uint32_t b) const {
    if (value[a] != value[b]) return superlevels ? value[a] > value[b] : value[a] < value[b];
    return a < b;
  }

  // Each neighbor once, never the cell itself.
  std::set<std::uint32_t> neighbors_of(std::uint32_t cell) const {
    const std::int64_t n[3] = {shape.cells[0], shape.cells[1], shape.cells[2]};
    const std::int64_t at[3] = {cell / (n[1] * n[2]), cell / n[2] % n[1], cell % n[2]};
    std::set<std::uint32_t> all;
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const int axes = std::abs(x) + std::abs(y) + std::abs(z);
          if (neighbors == 6 && axes > 1) continue;
          if (neighbors == 18 && axes > 2) continue;
          const int lowest = std::min({x, y, z}), highest = std::max({x, y, z});
          if (neighbors == 14 && lowest < 0 && highest > 0) continue;
          std::int64_t to[3] = {at[0] + x, at[1] + y, at[2] + z};
          bool is_there = true;
          for (int axis = 0; axis < 3; ++axis) {
            if (shape.periodic[std::size_t(axis)]) to[axis] = (to[axis] + n[axis]) % n[axis];
            is_there = is_there && to[axis] >= 0 && to[axis] < n[axis];
          }
          if (is_there) all.insert(std::uint32_t((to[0] * n[1] + to[1]) * n[2] + to[2]));
        }
    all.erase(cell);
    return all;
  }

  // `is_kept(value)`: whether a cell is looked at.
  template <class Kept>
  void sweep(const Kept& is_kept) {
    const std::size_t cells = value.size();
    saddle.assign(cells, kNobody);
    top = basin = across = saddle;
    maxima.clear();
    std::vector<std::uint32_t> order;
    for (std::uint32_t v = 0; v < cells; ++v)
      if (is_kept(value[v])) order.push_back(v);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); });

    std::vector<std::uint32_t> set(cells), oldest(cells);
    std::iota(set.begin(), set.end(), 0u);
    oldest = set;
    const auto find = [&](std::uint32_t v) {
      while (set[v] != v) v = set[v] = set[set[v]];
      return v;
    };
    for (const std::uint32_t v : order) {
      std::vector<std::uint32_t> higher;
      for (const std::uint32_t u : neighbors_of(v))
        if (is_kept(value[u]) && is_before(u, v)) higher.push_back(u);
      if (higher.empty()) {
        basin[v] = saddle[v] = top[v] = v;
        maxima.push_back(v);
        continue;
      }
      const std::uint32_t steepest =
          *std::min_element(higher.begin(), higher.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); });
      const std::uint32_t own = basin[v] = basin[steepest];
      set[v] = find(own);
      saddle[v] = v;
      // The basins that meet here, in the order of the indices of their maxima.
      std::set<std::uint32_t> others;
      for (const std::uint32_t u : higher) others.insert(basin[u]);
      std::vector<std::uint32_t> ended;
      for (const std::uint32_t other : others) {
        const std::uint32_t one = find(own), two = find(other);
        if (one == two) continue;
        const bool own_goes_on = is_before(oldest[one], oldest[two]);
        const std::uint32_t ending = own_goes_on ? oldest[two] : oldest[one];
        saddle[ending] = v;
        across[ending] = own_goes_on ? own : other;
        ended.push_back(ending);
        const std::uint32_t going_on = own_goes_on ? oldest[one] : oldest[two];
        set[two] = one;
        oldest[one] = going_on;
      }
      top[v] = oldest[find(v)];
      for (const std::uint32_t maximum : ended) top[maximum] = top[v];
    }
  }
  void sweep() {
    sweep([](const T&) { return true; });
  }

  bool ends(std::uint32_t maximum) const { return top[maximum] != maximum; }

  // The maximum that each cell is of, where noise joins its parent or the basin across its saddle;
  // `is_noise(birth, death)`.
  template <class Noise>
  std::vector<std::uint32_t> segments(bool by_branch, const Noise& is_noise) const {
    std::vector<std::uint32_t> segment(value.size(), kNobody);
    for (std::uint32_t v = 0; v < value.size(); ++v) {
      if (basin[v] == kNobody) continue;
      // A maximum's own triplet tells where it ends; at its own level it is alone.
      std::uint32_t maximum = by_branch && basin[v] != v ? top[v] : basin[v];
      while (ends(maximum) && is_noise(value[maximum], value[saddle[maximum]]))
        maximum = by_branch ? top[maximum] : across[maximum];
      segment[v] = maximum;
    }
    return segment;
  }
};

}  // namespace haloscope::test
