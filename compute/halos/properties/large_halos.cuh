#pragma once

#include "compute/exec/slices.inl"
#include "compute/gravity/potential_tree.inl"
#include "compute/halos/properties/members.inl"
#include "compute/spatial/morton.h"

#include <cstdint>

// Members of large halos on a GPU in Morton order, as sources of the trees over them.
namespace haloscope::compute::halos {

// How far from the first member of its halo any lies along an axis: bits of the largest distance.
struct FindReach {
  const Member* members;
  const std::uint64_t* begin;  // of halos
  const Slice* slices;
  const std::uint32_t* large_of;
  std::uint32_t* reach;  // of large halos
  __device__ void operator()(std::size_t s) const {
    const Slice slice = slices[s];
    const std::uint32_t large = large_of[slice.run];
    if (large == ~std::uint32_t(0)) return;
    const Member& first = members[begin[slice.run]];
    std::uint32_t most = 0;
    for (std::uint64_t i = slice.begin; i < slice.end; ++i) {
      const Member& m = members[i];
      const std::int32_t d[3] = {std::int32_t(m.x - first.x), std::int32_t(m.y - first.y),
                                 std::int32_t(m.z - first.z)};
      for (const std::int32_t one : d) most |= std::uint32_t(one < 0 ? ~one : one);
    }
    atomicOr(reach + large, most);
  }
};

// Members of large halos by halo and Morton code, of as many bits as are left.
struct KeyLargeMembers {
  static constexpr int kAxisBits = 14;
  const Member* members;
  const std::uint64_t* begin;
  const Slice* slices;
  const std::uint32_t *large_of, *reach;
  const std::uint64_t* large_begin;  // of large halos among their members
  std::uint64_t* key;
  std::uint32_t* member;
  __device__ void operator()(std::size_t s) const {
    const Slice slice = slices[s];
    const std::uint32_t large = large_of[slice.run];
    if (large == ~std::uint32_t(0)) return;
    const Member& first = members[begin[slice.run]];
    const int bits = 33 - __clz(int(reach[large]));  // of offsets that count from 0
    const int shift = bits > kAxisBits ? bits - kAxisBits : 0;
    const std::uint64_t middle = std::uint64_t(1) << (bits - 1);
    std::uint64_t to = large_begin[large] + slice.begin - begin[slice.run];
    for (std::uint64_t i = slice.begin; i < slice.end; ++i, ++to) {
      const Member& m = members[i];
      const auto along = [&](std::uint32_t a, std::uint32_t b) {
        return spatial::spread_bits(
            std::uint64_t(std::int64_t(std::int32_t(a - b)) + std::int64_t(middle)) >> shift);
      };
      key[to] = std::uint64_t(large) << 3 * kAxisBits | along(m.x, first.x) << 2 |
                along(m.y, first.y) << 1 | along(m.z, first.z);
      member[to] = std::uint32_t(i);
    }
  }
};

struct MakeLargeSources {
  const Member* members;
  const Sums<FirstMoments::kTerms>* sums;  // of halos
  const std::uint32_t* halo_of;            // of large halos
  const std::uint64_t *large_begin, *source_begin;
  const std::uint64_t* key;
  const std::uint32_t* member;
  std::uint32_t *x, *y, *z, *member_of;
  float* mass;
  __device__ void operator()(std::size_t i) const {
    const auto large = std::uint32_t(key[i] >> 3 * KeyLargeMembers::kAxisBits);
    const std::uint64_t to = source_begin[large] + i - large_begin[large];
    const Member& m = members[member[i]];
    const double total = sums[halo_of[large]].value[0];
    x[to] = m.x;
    y[to] = m.y;
    z[to] = m.z;
    mass[to] = float(double(m.mass) * (total > 0 ? 1 / total : 0));
    member_of[to] = member[i];
  }
};

// One level of all trees.
struct JoinLevel {
  const gravity::HaloTree* trees;
  const std::uint64_t* first;  // node of the level of each tree among those of all, and the end
  std::uint32_t count;         // of trees
  int level;
  gravity::TreeNode* nodes;
  __device__ void operator()(std::size_t i) const {
    std::uint32_t low = 0, high = count - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (first[middle] <= i)
        low = middle;
      else
        high = middle - 1;
    }
    const gravity::HaloTree& tree = trees[low];
    const auto node = std::uint32_t(i - first[low]);
    const std::uint32_t child = node * gravity::HaloTree::kFan;
    const std::uint32_t left = tree.level_size(level - 1) - child;
    gravity::TreeNode* const own = nodes + tree.nodes;
    own[tree.level_begin[level] + node] = gravity::MakeUpperNodes::join(
        own + tree.level_begin[level - 1] + child,
        left < gravity::HaloTree::kFan ? left : gravity::HaloTree::kFan);
  }
};

}  // namespace haloscope::compute::halos
