#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/sort.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/points_in_box.h"

#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::spatial {

// Points of a block that lie in the box.
struct BlocksInBox {
  PointsView points;
  LatticeBox box;

  // On one axis, the steps that have the first `bits` bits of `at` in common.
  HALOSCOPE_HD bool touches(int axis, std::uint32_t at, int bits) const {
    const std::uint32_t beyond = bits == 0 ? 0xffffffffu : ~0u >> bits;
    const std::uint32_t first = at & ~beyond;
    return first - box.low[axis] <= box.beyond[axis] || box.low[axis] - first <= beyond;
  }
  // All points between two of Morton order lie in the smallest cell that holds both.
  HALOSCOPE_HD bool may_hold(std::uint32_t begin, std::uint32_t end) const {
    const FixedPoint a = points.at(begin), b = points.at(end - 1);
    std::uint64_t differ = morton_code(a.x, a.y, a.z) ^ morton_code(b.x, b.y, b.z);
    int common = kMortonBits;
    for (; differ; differ >>= 1) --common;
    return touches(0, a.x, (common + 2) / 3) && touches(1, a.y, (common + 1) / 3) &&
           touches(2, a.z, common / 3);
  }
  // Calls f(point) for each.
  template <class F>
  HALOSCOPE_HD void each(std::size_t block, F&& f) const {
    const auto begin = std::uint32_t(block * kPointBlock);
    const std::uint32_t left = points.count - begin;
    const std::uint32_t end = begin + (left < kPointBlock ? left : kPointBlock);
    if (!may_hold(begin, end)) return;
    for (std::uint32_t i = begin; i < end; ++i) {
      const FixedPoint p = points.at(i);
      if (box.contains(p.x, p.y, p.z)) f(i);
    }
  }
};

struct CountInBox {
  BlocksInBox blocks;
  std::uint32_t* counts;
  HALOSCOPE_HD void operator()(std::size_t block) const {
    std::uint32_t count = 0;
    blocks.each(block, [&count](std::uint32_t) { ++count; });
    counts[block] = count;
  }
};

struct ListInBox {
  BlocksInBox blocks;
  const std::uint32_t* before;  // of each block, and the sum
  std::uint32_t* rows;
  std::uint32_t* points;
  HALOSCOPE_HD void operator()(std::size_t block) const {
    std::uint32_t to = before[block];
    if (before[block + 1] == to) return;
    blocks.each(block, [&](std::uint32_t i) {
      rows[to] = blocks.points.row(i);
      points[to++] = i;
    });
  }
};

struct PlaceOfPoint {
  PointsView view;
  const std::uint32_t* points;
  std::uint32_t* to[3];
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FixedPoint p = view.at(points[i]);
    to[0][i] = p.x;
    to[1][i] = p.y;
    to[2][i] = p.z;
  }
};

// The set's points are in Morton order.
template <class Exec>
RowsInBox points_in_box_on(Exec& exec, const PointSet& set, const LatticeBox& box) {
  constexpr const char* kName = "points in a box";
  RowsInBox found;
  const HeldPoints held = set.hold();
  const PointsView& view = held.view;
  const std::size_t blocks = (std::size_t(view.count) + kPointBlock - 1) / kPointBlock;
  if (blocks == 0) return found;
  Buffer<std::uint32_t, Exec> before(exec, blocks + 1, kName);
  exec.zero(before.data() + blocks, sizeof(std::uint32_t));
  parallel_for(exec, kName, blocks, CountInBox{{view, box}, before.data()});
  thrust::exclusive_scan(exec.policy(), before.data(), before.data() + blocks + 1, before.data());
  std::uint32_t count = 0;
  exec.download(&count, before.data() + blocks, sizeof(count));
  if (count == 0) return found;
  Buffer<std::uint32_t, Exec> rows(exec, count, kName), points(exec, count, kName), places[3];
  parallel_for(exec, kName, blocks,
               ListInBox{{view, box}, before.data(), rows.data(), points.data()});
  sort_pairs(exec, rows, points, 32);
  for (auto& axis : places) axis = Buffer<std::uint32_t, Exec>(exec, count, kName);
  parallel_for(
      exec, kName, count,
      PlaceOfPoint{view, points.data(), {places[0].data(), places[1].data(), places[2].data()}});
  const std::size_t bytes = count * sizeof(std::uint32_t);
  found.rows = Array<std::uint32_t>(count);
  exec.download(found.rows.data(), rows.data(), bytes);
  for (std::size_t a = 0; a < 3; ++a) {
    found.position[a] = Array<std::uint32_t>(count);
    exec.download(found.position[a].data(), places[a].data(), bytes);
  }
  return found;
}

}  // namespace haloscope::compute::spatial
