#pragma once

#include "compute/exec/buffer.h"
#include "compute/gravity/potential_terms.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/octree_store.inl"
#include "compute/spatial/points_view.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// An octree in the form that sums of potentials walk: the children of a cell lie side by side,
// whether they are nodes or leaves, and each says how far away it may be seen as a whole.
namespace haloscope::compute::gravity {

using spatial::OctreeRef;
using spatial::OctreeSums;
using spatial::OctreeView;

struct PackSources {
  spatial::PointsView points;
  const std::uint32_t* order;
  const float* mass;  // by row; null: 1
  double per_total;
  PotentialSource* sources;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = order[k];
    const spatial::FixedPoint at = points.at(i);
    const float m = mass ? mass[points.row(i)] : 1.f;
    const bool good = m >= 0 && m <= 3.402823466e38f;
    sources[k] = {at.x, at.y, at.z, good ? float(double(m) * per_total) : 0.f};
  }
};

struct CountChildren {
  const spatial::OctreeNode* nodes;
  std::uint32_t* number;
  HALOSCOPE_HD void operator()(std::size_t n) const {
    std::uint32_t children = 0;
    for (const OctreeRef ref : nodes[n].child) children += ref != spatial::kNoOctreeRef;
    number[n] = children;
  }
};

// How far away cells are seen as a whole; lengths in units.
struct Opening {
  double per_angle;      // 1 / the largest angle
  double support;        // of the spline: nothing of a cell may lie within it
  double largest_side;   // of a cell seen as a whole
  double per_error = 0;  // 1 / what a cell's sum may leave out, in all masses over a unit; 0: any
};
// Smaller angles than this are asked of no cell, however small the error that is allowed.
inline constexpr double kLeastAngle = 0.2;

// Leaves of so few bodies are summed body by body: a cell's sum takes longer.
inline constexpr std::uint32_t kFewBodies = 2;

struct MakeCells {
  OctreeView tree;
  const PotentialSource* sources;
  const std::uint32_t* before;  // children of earlier nodes
  Opening opening;
  double per_total;
  PotentialCell* cells;
  CellSpread* spreads;

  // The children of a node on `level`.
  HALOSCOPE_HD void children(std::uint32_t node, int level) const {
    std::uint32_t to = 1 + before[node];
    for (const OctreeRef ref : tree.nodes[node].child)
      if (ref != spatial::kNoOctreeRef) cell(ref, level + 1, to++);
  }
  HALOSCOPE_HD void cell(OctreeRef ref, int level, std::uint32_t to) const {
    const bool leaf = ref & spatial::kOctreeLeaf;
    const std::uint32_t number = ref & ~spatial::kOctreeLeaf;
    const OctreeSums& sums = leaf ? tree.leaf_sums[number] : tree.node_sums[number];
    PotentialCell made;
    const std::uint32_t body = leaf ? tree.leaf_begin[number] : tree.node_begin[number];
    if (leaf) {
      made.first = body;
      made.count = tree.leaf_begin[number + 1] - body;
    } else {
      made.first = 1 + before[number];
      made.count = before[number + 1] - before[number];
    }
    made.mass = float(sums.mass * per_total);
    made.kind = leaf ? PotentialCell::kLeaf : 0;
    const double steps = std::ldexp(1.0, 32 - level);
    const PotentialSource first = sources[body];
    const std::uint32_t at[3] = {first.x, first.y, first.z};
    std::uint32_t center[3];
    double offset = 0, reach = 0;
    for (int a = 0; a < 3; ++a) {
      const double c = floor(sums.center[a] + 0.5);
      center[a] = c < 4294967295.0 ? std::uint32_t(c) : ~0u;
      const double low = level > 0 ? double(at[a] >> (32 - level)) * steps : 0;
      const double from_middle = fabs(double(center[a]) - (low + steps / 2));
      offset += from_middle * from_middle;
      reach += (from_middle + steps / 2) * (from_middle + steps / 2);
    }
    made.x = center[0];
    made.y = center[1];
    made.z = center[2];
    const double side = steps * kUnitsPerStep;
    const double radius = radius_of(sums, double(made.mass), side, sqrt(offset) * kUnitsPerStep,
                                    sqrt(reach) * kUnitsPerStep);
    made.open2 = float(radius * radius * (1 + 1e-6));
    const bool large = side > opening.largest_side;
    if (large || (leaf && made.count <= kFewBodies)) made.open2 = kAlwaysOpen;
    if (large && leaf) made.kind |= PotentialCell::kLarge;
    cells[to] = made;
    CellSpread spread{};
    for (int k = 0; k < 6; ++k)
      spread.value[k] =
          float(double(made.mass) * double(sums.spread[k]) * kUnitsPerStep * kUnitsPerStep);
    spreads[to] = spread;
  }

 private:
  // What a monopole and a quadrupole leave out at the distance r is of the order of M s² b / r⁴,
  // where s² is the mean square of distances from the center of mass and b the largest distance
  // (Salmon and Warren 1994). s³ for s² b would be too little for a cluster with few bodies around.
  HALOSCOPE_HD double radius_of(const OctreeSums& sums, double mass, double side, double offset,
                                double reach) const {
    const double by_angle = side * opening.per_angle + offset, by_support = reach + opening.support;
    const double squared =
        (double(sums.spread[0]) + double(sums.spread[3]) + double(sums.spread[5])) * kUnitsPerStep *
        kUnitsPerStep;
    const double left_out = sqrt(sqrt(mass * squared * reach * opening.per_error));
    const double most = side / kLeastAngle + offset;
    const double by_error = left_out < most ? left_out : most;
    const double radius = by_angle > by_support ? by_angle : by_support;
    return radius > by_error ? radius : by_error;
  }
};

struct MakeRoot {
  MakeCells make;
  HALOSCOPE_HD void operator()(std::size_t) const { make.cell(make.tree.root(), 0, 0); }
};
struct MakeChildren {
  MakeCells make;
  std::uint32_t first;
  int level;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    make.children(first + std::uint32_t(k), level);
  }
};

template <class Exec>
class CellStore {
 public:
  CellStore(Exec& exec, const OctreeView& tree, const PotentialSource* sources, double per_total)
      : tree_(tree),
        sources_(sources),
        per_total_(per_total),
        before_(exec, std::size_t(tree.node_number) + 1, "potentials") {
    parallel_for(exec, "potentials", tree.node_number, CountChildren{tree.nodes, before_.data()});
    const std::size_t number =
        1 + std::size_t(spatial::scan_numbers(exec, before_, tree.node_number));
    cells_ = Buffer<PotentialCell, Exec>(exec, number, "potentials");
    spreads_ = Buffer<CellSpread, Exec>(exec, number, "potentials");
  }
  void make(Exec& exec, const Opening& opening) {
    const MakeCells make{tree_,      sources_,      before_.data(), opening,
                         per_total_, cells_.data(), spreads_.data()};
    parallel_for(exec, "potentials", 1, MakeRoot{make});
    for (int level = 0; level < tree_.levels; ++level) {
      const std::uint32_t first = tree_.level_begin[level];
      parallel_for(exec, "potentials", tree_.level_begin[level + 1] - first,
                   MakeChildren{make, first, level});
    }
  }
  const PotentialCell* cells() const { return cells_.data(); }
  const CellSpread* spreads() const { return spreads_.data(); }

 private:
  OctreeView tree_;
  const PotentialSource* sources_;
  double per_total_;
  Buffer<std::uint32_t, Exec> before_;
  Buffer<PotentialCell, Exec> cells_;
  Buffer<CellSpread, Exec> spreads_;
};

// Groups end where cells of a level end, so that none spans a jump of the Morton curve across the
// domain. So many bodies in such a cell leave few groups that are not full.
inline constexpr double kBodiesPerCut = 2048;
inline constexpr int kLeastCutLevel = 4, kMostCutLevel = 6;

inline int cut_level(std::uint32_t bodies) {
  int level = kLeastCutLevel;
  while (level < kMostCutLevel && bodies / kBodiesPerCut >= std::ldexp(1.0, 3 * (level + 1)))
    ++level;
  return level;
}

// The first body of each cell of a level, and how many groups it has.
struct FindCuts {
  const PotentialSource* sources;
  std::uint32_t bodies;
  int shift;  // of Morton codes
  std::uint32_t* begin;
  HALOSCOPE_HD void operator()(std::size_t cell) const {
    std::uint32_t low = 0, high = bodies;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const PotentialSource s = sources[middle];
      if (spatial::morton_code(s.x, s.y, s.z) >> shift < cell)
        low = middle + 1;
      else
        high = middle;
    }
    begin[cell] = low;
  }
};
struct CountGroups {
  const std::uint32_t* begin;
  std::uint32_t* number;
  HALOSCOPE_HD void operator()(std::size_t cell) const {
    number[cell] = (begin[cell + 1] - begin[cell] + kGroupBodies - 1) / kGroupBodies;
  }
};
struct MakeGroups {
  const std::uint32_t* begin;
  const std::uint32_t* before;  // groups of earlier cells
  BodyGroup* groups;
  HALOSCOPE_HD void operator()(std::size_t cell) const {
    std::uint32_t to = before[cell];
    for (std::uint32_t k = begin[cell]; k < begin[cell + 1]; k += kGroupBodies) {
      const std::uint32_t left = begin[cell + 1] - k;
      groups[to++] = {k, left < kGroupBodies ? left : kGroupBodies};
    }
  }
};

template <class Exec>
Buffer<BodyGroup, Exec> make_groups(Exec& exec, const PotentialSource* sources,
                                    std::uint32_t bodies) {
  const int level = cut_level(bodies);
  const std::size_t cells = std::size_t(1) << 3 * level;
  Buffer<std::uint32_t, Exec> begin(exec, cells + 1, "potentials"),
      number(exec, cells + 1, "potentials");
  parallel_for(exec, "potentials", cells + 1,
               FindCuts{sources, bodies, spatial::kMortonBits - 3 * level, begin.data()});
  parallel_for(exec, "potentials", cells, CountGroups{begin.data(), number.data()});
  Buffer<BodyGroup, Exec> groups(exec, spatial::scan_numbers(exec, number, cells), "potentials");
  parallel_for(exec, "potentials", cells, MakeGroups{begin.data(), number.data(), groups.data()});
  exec.synchronize();
  return groups;
}

// Every so many groups.
struct PickGroups {
  const BodyGroup* groups;
  std::uint32_t every;
  BodyGroup* picked;
  HALOSCOPE_HD void operator()(std::size_t k) const { picked[k] = groups[k * every]; }
};
// Squares of potentials of a group's bodies.
struct SquareGroup {
  PotentialWork work;
  double* squares;
  HALOSCOPE_HD void operator()(std::size_t g) const {
    const BodyGroup group = work.groups[g];
    double sum = 0;
    for (std::uint32_t k = 0; k < group.count; ++k) {
      const auto p = double(work.potential[work.row(group.begin + k)]);
      sum += p * p;
    }
    squares[g] = sum / group.count;
  }
};

}  // namespace haloscope::compute::gravity
