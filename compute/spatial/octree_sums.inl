#pragma once

#include "compute/exec/atomics.h"
#include "compute/spatial/octree_store.inl"
#include "compute/spatial/points_view.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// Sums of an octree from its leaves up: bodies in their order, children by octant, in double. So
// both executors, and any two runs, give the same bits.
namespace haloscope::compute::spatial {

// What bodies carry, on the executor, by row; null as in OctreeColumns.
struct BodyColumns {
  const float* mass;
  const float* light[3];
  const float* radius;
};

HALOSCOPE_HD inline bool is_good_mass(float m) {
  return m >= 0 && m <= 3.402823466e38f;
}
// What is no number is left out of sums.
HALOSCOPE_HD inline double number_or_zero(float v) {
  return v - v == 0 ? double(v) : 0.;
}

// Means over bodies, and over means of bodies. Each is added to the mean of those before (Welford
// 1962), so that a light body far from heavy ones costs no digits.
class OctreeMean {
 public:
  // The weight is a mass, or a number of bodies.
  HALOSCOPE_HD void add(const double (&center)[3], const float (&spread)[6], double weight) {
    if (!(weight > 0)) return;
    const double before = weight_;
    weight_ += weight;
    const double part = weight / weight_, share = before * part;
    double d[3];
    for (int a = 0; a < 3; ++a) {
      d[a] = center[a] - center_[a];
      center_[a] = before > 0 ? center_[a] + part * d[a] : center[a];
    }
    int k = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b, ++k)
        second_[k] += weight * double(spread[k]) + share * d[a] * d[b];
  }
  HALOSCOPE_HD double weight() const { return weight_; }
  HALOSCOPE_HD void finish(OctreeSums& sums) const {
    for (int a = 0; a < 3; ++a) sums.center[a] = center_[a];
    for (int k = 0; k < 6; ++k) sums.spread[k] = weight_ > 0 ? float(second_[k] / weight_) : 0.f;
  }

 private:
  double center_[3] = {}, weight_ = 0, second_[6] = {};
};

// What the sums take of a body, side by side: the place and the mass, and the rest.
struct alignas(16) PlacedBody {
  FixedPoint at;
  float mass;
};
struct alignas(16) BodyLight {
  float light[3], radius;
};

struct PackBodies {
  PointsView points;
  const float* mass;
  PlacedBody* packed;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    packed[i] = {points.at(i), mass ? mass[points.row(i)] : 1.f};
  }
};
// By row.
struct PackLight {
  BodyColumns columns;
  BodyLight* packed;
  HALOSCOPE_HD void operator()(std::size_t row) const {
    BodyLight one;
    for (int c = 0; c < 3; ++c)
      one.light[c] = columns.light[c] ? float(number_or_zero(columns.light[c][row])) : 0.f;
    one.radius = columns.radius ? float(number_or_zero(columns.radius[row])) : 0.f;
    packed[row] = one;
  }
};
struct GatherBodies {
  const PlacedBody* packed;
  const std::uint32_t* order;
  PlacedBody* placed;
  HALOSCOPE_HD void operator()(std::size_t k) const { placed[k] = packed[order[k]]; }
};
struct GatherLight {
  const BodyLight* packed;
  const std::uint32_t* order;
  PointsView points;
  BodyLight* placed;
  HALOSCOPE_HD void operator()(std::size_t k) const { placed[k] = packed[points.row(order[k])]; }
};

// Bodies in the order of the tree. A record that lies side by side is one access to memory where
// columns are four.
template <class Exec>
struct SummedBodies {
  Buffer<PlacedBody, Exec> bodies;
  Buffer<BodyLight, Exec> light;  // empty: they have none

  SummedBodies(Exec& exec, const PointsView& points, const BodyColumns& columns,
               const std::uint32_t* order)
      : bodies(exec, points.count, "octree sums") {
    const std::size_t n = points.count;
    if (points.in_morton_order) {
      parallel_for(exec, "octree sums", n, PackBodies{points, columns.mass, bodies.data()});
    } else {
      Buffer<PlacedBody, Exec> packed(exec, n, "octree sums");
      parallel_for(exec, "octree sums", n, PackBodies{points, columns.mass, packed.data()});
      parallel_for(exec, "octree sums", n, GatherBodies{packed.data(), order, bodies.data()});
    }
    if (!columns.light[0] && !columns.light[1] && !columns.light[2] && !columns.radius) return;
    Buffer<BodyLight, Exec> packed(exec, n, "octree sums");
    light = Buffer<BodyLight, Exec>(exec, n, "octree sums");
    parallel_for(exec, "octree sums", n, PackLight{columns, packed.data()});
    parallel_for(exec, "octree sums", n, GatherLight{packed.data(), order, points, light.data()});
  }
};

struct SumBodies {
  const PlacedBody* placed;
  const BodyLight* light;  // null: none

  HALOSCOPE_HD OctreeSums body(std::uint32_t at) const {
    const PlacedBody body = placed[at];
    OctreeSums one;
    one.mass = is_good_mass(body.mass) ? double(body.mass) : 0.;
    one.center[0] = double(body.at.x);
    one.center[1] = double(body.at.y);
    one.center[2] = double(body.at.z);
    for (auto& s : one.spread) s = 0;
    BodyLight own{};
    if (light) own = light[at];
    for (int c = 0; c < 3; ++c) one.light[c] = own.light[c];
    one.radius = own.radius;
    return one;
  }
};

// Sums of parts: get(k, part) gives the k-th one's sums, and returns the number of its bodies.
// Returns the number of all.
template <class Get>
HALOSCOPE_HD std::uint32_t sum_parts(std::uint32_t parts, const Get& get, OctreeSums& sums) {
  OctreeMean mean;
  double light[3] = {}, mass = 0;
  std::uint32_t all = 0;
  float radius = 0;
  for (std::uint32_t k = 0; k < parts; ++k) {
    OctreeSums part;
    const std::uint32_t number = get(k, part);
    if (number == 0) continue;
    all += number;
    mean.add(part.center, part.spread, part.mass);
    mass += part.mass;
    for (int c = 0; c < 3; ++c) light[c] += double(part.light[c]);
    radius = part.radius > radius ? part.radius : radius;
  }
  if (!(mean.weight() > 0)) {
    mean = OctreeMean();
    for (std::uint32_t k = 0; k < parts; ++k) {
      OctreeSums part;
      const std::uint32_t number = get(k, part);
      if (number > 0) mean.add(part.center, part.spread, double(number));
    }
  }
  sums.mass = mass;
  sums.radius = radius;
  for (int c = 0; c < 3; ++c) sums.light[c] = float(light[c]);
  mean.finish(sums);
  return all;
}

// Bodies of a large leaf are summed in slices of so many, then the slices: see LeafSlices.
inline constexpr std::uint32_t kLeafSlice = 1024;

struct SumLeaf {
  const std::uint32_t* leaf_begin;
  SumBodies bodies;
  const std::uint32_t* first_slice;  // of each leaf; null where no leaf is large
  const OctreeSums* slices;

  HALOSCOPE_HD OctreeSums run(std::uint32_t first, std::uint32_t count) const {
    OctreeSums sums;
    sum_parts(
        count,
        [&](std::uint32_t k, OctreeSums& part) {
          part = bodies.body(first + k);
          return 1u;
        },
        sums);
    return sums;
  }
  HALOSCOPE_HD OctreeSums operator()(std::uint32_t leaf) const {
    const std::uint32_t first = leaf_begin[leaf], count = leaf_begin[leaf + 1] - first;
    if (count == 1) return bodies.body(first);
    if (count <= kLeafSlice) return run(first, count);
    const OctreeSums* const own = slices + first_slice[leaf];
    OctreeSums sums;
    sum_parts((count + kLeafSlice - 1) / kLeafSlice,
              [&](std::uint32_t k, OctreeSums& part) {
                part = own[k];
                const std::uint32_t left = count - k * kLeafSlice;
                return left < kLeafSlice ? left : kLeafSlice;
              },
              sums);
    return sums;
  }
};

struct CountSlices {
  const std::uint32_t* leaf_begin;
  std::uint32_t* number;
  HALOSCOPE_HD void operator()(std::size_t leaf) const {
    const std::uint32_t count = leaf_begin[leaf + 1] - leaf_begin[leaf];
    number[leaf] = count <= kLeafSlice ? 0 : (count + kLeafSlice - 1) / kLeafSlice;
  }
};

struct SumSlices {
  SumLeaf sum;
  const std::uint32_t* first_slice;
  std::uint32_t leaves;
  OctreeSums* slices;
  HALOSCOPE_HD void operator()(std::size_t slice) const {
    // The last leaf whose slices begin here or before.
    std::uint32_t low = 0, high = leaves;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (first_slice[middle] <= slice)
        low = middle;
      else
        high = middle;
    }
    const std::uint32_t first =
        sum.leaf_begin[low] + (std::uint32_t(slice) - first_slice[low]) * kLeafSlice;
    const std::uint32_t left = sum.leaf_begin[low + 1] - first;
    slices[slice] = sum.run(first, left < kLeafSlice ? left : kLeafSlice);
  }
};

template <class Exec>
struct LeafSlices {
  Buffer<std::uint32_t, Exec> first;
  Buffer<OctreeSums, Exec> sums;

  LeafSlices() = default;
  LeafSlices(Exec& exec, const OctreeStore<Exec>& tree, const SumLeaf& sum)
      : first(exec, std::size_t(tree.leaf_number) + 1, "octree sums") {
    parallel_for(exec, "octree sums", tree.leaf_number,
                 CountSlices{tree.leaf_begin.data(), first.data()});
    const std::uint32_t slices = scan_numbers(exec, first, tree.leaf_number);
    sums = Buffer<OctreeSums, Exec>(exec, slices, "octree sums");
    parallel_for(exec, "octree sums", slices,
                 SumSlices{sum, first.data(), tree.leaf_number, sums.data()});
  }
  SumLeaf of(SumLeaf leaf) const {
    leaf.first_slice = first.data();
    leaf.slices = sums.data();
    return leaf;
  }
};

struct SumLeaves {
  SumLeaf leaf;
  HALOSCOPE_HD OctreeSums sum(std::uint32_t k) const { return leaf(k); }
};

// Nodes of one level: bodies counted, and summed where sums are wanted.
struct SumNodes {
  const OctreeNode* nodes;
  const std::uint32_t* leaf_begin;
  std::uint32_t* count;
  std::uint32_t first;  // node
  HALOSCOPE_HD std::uint32_t bodies_of(OctreeRef ref) const {
    if (ref == kNoOctreeRef) return 0;
    if (!(ref & kOctreeLeaf)) return count[ref];
    const std::uint32_t leaf = ref & ~kOctreeLeaf;
    return leaf_begin[leaf + 1] - leaf_begin[leaf];
  }
};

struct CountNodes : SumNodes {
  HALOSCOPE_HD void operator()(std::size_t k) const {
    std::uint32_t all = 0;
    for (const OctreeRef ref : nodes[first + k].child) all += bodies_of(ref);
    count[first + k] = all;
  }
};

struct CountAndSumNodes : SumNodes {
  SumLeaf leaf;
  const OctreeSums* leaf_sums;  // null: made where they are needed
  OctreeSums* sums;
  bool single;  // every leaf is one body: the leaf's number is its place
  // Children are read where they are, again and again: arrays that a variable picks from would lie
  // in a GPU's memory too.
  HALOSCOPE_HD OctreeSums sum(std::uint32_t k) const {
    const OctreeRef* const child = nodes[first + k].child;
    OctreeSums all;
    count[first + k] = sum_parts(
        8,
        [&](std::uint32_t o, OctreeSums& part) {
          const OctreeRef ref = child[o];
          if (ref == kNoOctreeRef) return 0u;
          const std::uint32_t number = single && (ref & kOctreeLeaf) ? 1u : bodies_of(ref);
          if (!(ref & kOctreeLeaf))
            part = sums[ref];
          else if (single)
            part = leaf.bodies.body(ref & ~kOctreeLeaf);
          else
            part = leaf_sums ? leaf_sums[ref & ~kOctreeLeaf] : leaf(ref & ~kOctreeLeaf);
          return number;
        },
        all);
    return all;
  }
};

template <class Work>
struct StoreSums {
  Work work;
  OctreeSums* to;
  HALOSCOPE_HD void operator()(std::size_t k) const { to[k] = work.sum(std::uint32_t(k)); }
};
// Writes work.sum(k) to to[k]. Executors may have their own.
template <class Exec, class Work>
void store_sums(Exec& exec, std::size_t count, const Work& work, OctreeSums* to) {
  parallel_for(exec, "octree sums", count, StoreSums<Work>{work, to});
}

// Counts bodies of all nodes.
template <class Exec>
void count_up(Exec& exec, OctreeStore<Exec>& tree) {
  CountNodes work{{tree.nodes.data(), tree.leaf_begin.data(), tree.node_count.data(), 0}};
  for (int level = tree.levels; level-- > 0;) {
    work.first = tree.level_begin[level];
    parallel_for(exec, "octree sums", tree.level_begin[level + 1] - work.first, work);
  }
}

// Counts and sums them.
template <class Exec>
void sum_up(Exec& exec, OctreeStore<Exec>& tree, const SumLeaf& leaf, bool leaves_too) {
  tree.node_sums = Buffer<OctreeSums, Exec>(exec, tree.node_number, "octree sums");
  if (leaves_too) {
    tree.leaf_sums = Buffer<OctreeSums, Exec>(exec, tree.leaf_number, "octree sums");
    store_sums(exec, tree.leaf_number, SumLeaves{leaf}, tree.leaf_sums.data());
  }
  CountAndSumNodes work{{tree.nodes.data(), tree.leaf_begin.data(), tree.node_count.data(), 0},
                        leaf,
                        tree.leaf_sums.data(),
                        tree.node_sums.data(),
                        tree.leaf_number == tree.bodies};
  for (int level = tree.levels; level-- > 0;) {
    work.first = tree.level_begin[level];
    store_sums(exec, tree.level_begin[level + 1] - work.first, work,
               tree.node_sums.data() + work.first);
  }
}

struct CountBadMasses {
  const float* mass;
  std::uint32_t* bad;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (!is_good_mass(mass[i])) atomic_add(bad, 1u);
  }
};

struct CountCrowded {
  const std::uint32_t* leaf_begin;
  std::uint32_t leaf_size;
  std::uint32_t* found;  // number of them, and the most bodies
  HALOSCOPE_HD void operator()(std::size_t leaf) const {
    const std::uint32_t count = leaf_begin[leaf + 1] - leaf_begin[leaf];
    if (count <= leaf_size) return;
    atomic_add(found, 1u);
    // The most by compare-and-swap: few leaves come here.
    std::uint32_t seen = atomic_load(found + 1);
    while (seen < count) {
      const std::uint32_t was = atomic_compare_exchange(found + 1, seen, count);
      if (was == seen) break;
      seen = was;
    }
  }
};

}  // namespace haloscope::compute::spatial
