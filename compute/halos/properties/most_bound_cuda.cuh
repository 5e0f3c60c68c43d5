#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/select.inl"
#include "compute/exec/sort.h"
#include "compute/exec/warp.cuh"
#include "compute/halos/properties/potential.inl"
#include "compute/spatial/morton.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

// The search for most bound members on a GPU. What is chosen is what the CPU chooses: the bounds
// are of the same formulas, and the last sums are added in the same order. A warp has the 32
// members of a block, one a thread, and walks the tree for all of them. Members of small halos are
// summed at once, and those of large ones that the tree leaves by a block of threads each.
namespace haloscope::compute::halos {

// Of floats that are no NaN, whatever their signs. `at` holds a number before.
__device__ inline void raise(float* at, float value) {
  if (value >= 0)
    atomicMax(reinterpret_cast<int*>(at), __float_as_int(value));
  else
    atomicMin(reinterpret_cast<unsigned*>(at), __float_as_uint(value));
}

// Floats in an order that integers have.
HALOSCOPE_HD inline std::uint32_t ordered(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ inline double warp_sum(double value) {
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
  return value;
}

// Sources that a warp has in shared memory, which all of its threads are attracted by.
template <int kMost>
struct WarpSources {
  std::uint32_t x[kMost], y[kMost], z[kMost];
  float mass[kMost];

  __device__ void put(unsigned to, std::uint32_t px, std::uint32_t py, std::uint32_t pz, float m) {
    x[to] = px;
    y[to] = py;
    z[to] = pz;
    mass[to] = m;
  }
  // By all threads of the warp; those that take part have a target.
  __device__ void attract(unsigned count, const std::uint32_t (&target)[3], bool takes_part,
                          gravity::Softening softening, double& depth) {
    constexpr unsigned kMultiple = gravity::SourceView::kMultiple;
    const unsigned lane = threadIdx.x % 32,
                   filled = (count + kMultiple - 1) / kMultiple * kMultiple;
    if (lane < filled - count) put(count + lane, 0, 0, 0, 0);
    __syncwarp();
    if (takes_part)
      gravity::attract_plainly({x, y, z, mass}, filled,
                               {&target[0], &target[1], &target[2], nullptr}, 1, softening, &depth);
    __syncwarp();
  }
};

// Members of a small halo, a warp's.
struct SmallBlock {
  std::uint64_t first;  // member
  std::uint32_t count, halo;
};

struct SmallHalos {
  const Member* members;
  const std::uint64_t* begin;  // of halos
  const Sums<FirstMoments::kTerms>* sums;
  const SmallBlock* blocks;
  std::uint32_t count;
  float h;
  float* known;  // of halos
  float* depth;  // of members
};

// A candidate, and what ties are told by.
struct FoundCandidate {
  std::uint32_t halo, member;
  std::uint32_t p[3];
  float mass;
  std::uint64_t source;
};

constexpr unsigned kWarpsOfBlock = 4, kStaged = 128;

__global__ void __launch_bounds__(32 * kWarpsOfBlock) sum_small_halos(SmallHalos in) {
  __shared__ WarpSources<kStaged> staged[kWarpsOfBlock];
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t b = (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (b >= in.count) return;
  WarpSources<kStaged>& sources = staged[threadIdx.x / 32];
  const SmallBlock block = in.blocks[b];
  const double total = in.sums[block.halo].value[0];
  const double per_total = total > 0 ? 1 / total : 0;
  const bool takes_part = lane < block.count;
  const Member own = in.members[block.first + (takes_part ? lane : 0)];
  const std::uint32_t target[3] = {own.x, own.y, own.z};
  double depth = 0;
  const std::uint64_t end = in.begin[block.halo + 1];
  for (std::uint64_t from = in.begin[block.halo]; from < end; from += kStaged) {
    const auto some = unsigned(end - from < kStaged ? end - from : kStaged);
    for (unsigned k = lane; k < some; k += 32) {
      const Member& m = in.members[from + k];
      sources.put(k, m.x, m.y, m.z, float(double(m.mass) * per_total));
    }
    sources.attract(some, target, takes_part, {gravity::Softening::Rare, in.h}, depth);
  }
  if (!takes_part) return;
  const float mass = float(double(own.mass) * per_total);
  const float d = float(depth - gravity::central_depth(double(mass), in.h));
  in.depth[block.first + lane] = d;
  const float sure = d - gravity::kAttractionError * fabsf(d);
  if (sure > -INFINITY) raise(in.known + block.halo, sure);
}

// Members of small halos that may be the deepest. Without `out` they are counted.
__global__ void list_small_candidates(SmallHalos in, FoundCandidate* out, std::uint32_t* count) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint64_t b = i / 32, k = i % 32;
  if (b >= in.count) return;
  const SmallBlock block = in.blocks[b];
  if (k >= block.count) return;
  const std::uint64_t member = block.first + k;
  if (!may_be_deepest(in.depth[member], 0, in.known[block.halo])) return;
  const Member& m = in.members[member];
  const std::uint32_t to = atomicAdd(count, 1u);
  if (out) out[to] = {block.halo, std::uint32_t(member), {m.x, m.y, m.z}, m.mass, 0};
}

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

constexpr unsigned kThreadsOfSum = 256;

// Over a block of threads; all get it.
__device__ inline double block_sum(double value) {
  __shared__ double of_warps[kThreadsOfSum / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (const double one : of_warps) sum += one;
  __syncthreads();
  return sum;
}

// The depth of a source with its own part, by all members of its halo; by a block of threads.
__device__ inline double depth_by_block(const Screening& in, std::uint32_t halo,
                                        std::uint64_t source) {
  constexpr std::uint64_t kSome = gravity::kTriedSum;
  const std::uint64_t first = in.source_begin[halo], count = in.source_begin[halo + 1] - first;
  double depth = 0;
  for (std::uint64_t from = threadIdx.x * kSome; from < count; from += kThreadsOfSum * kSome)
    gravity::attract_plainly(in.sources.from(first + from),
                             count - from < kSome ? count - from : kSome, in.sources.from(source),
                             1, {gravity::Softening::Rare, in.h}, &depth);
  return block_sum(depth);
}

__device__ inline float sure_depth(const Screening& in, std::uint64_t source, double with_own) {
  const double own = gravity::central_depth(double(in.sources.mass[source]), in.h);
  return float(with_own - own) * (1 - gravity::kAttractionError);
}

// The first bound of each halo: a member of its densest leaf.
__global__ void __launch_bounds__(kThreadsOfSum) find_first_bounds(Screening in, float* known) {
  __shared__ unsigned long long densest;
  const std::uint32_t halo = blockIdx.x;
  const gravity::HaloTree& tree = in.trees[halo];
  const gravity::TreeNode* const leaves = in.nodes + tree.nodes;
  if (threadIdx.x == 0) densest = 0;
  __syncthreads();
  unsigned long long best = 0;
  for (std::uint32_t l = threadIdx.x; l < tree.level_size(0); l += blockDim.x) {
    const float depth = leaves[l].mass / (leaves[l].radius + in.h + 1);
    if (!(depth >= 0)) continue;
    const unsigned long long one = std::uint64_t(ordered(depth)) << 32 | l;
    if (one > best) best = one;
  }
  atomicMax(&densest, best);
  __syncthreads();
  const std::uint64_t source =
      in.source_begin[halo] + std::uint64_t(std::uint32_t(densest)) * gravity::HaloTree::kLeaf;
  const float sure = sure_depth(in, source, depth_by_block(in, halo, source));
  if (threadIdx.x == 0 && sure > known[halo]) known[halo] = sure;
}

// A better one: of the member that may be the deepest of all.
__global__ void __launch_bounds__(kThreadsOfSum)
    raise_bounds(Screening in, const unsigned long long* best_block, float* known) {
  __shared__ std::uint64_t best;
  const std::uint32_t halo = blockIdx.x;
  if (best_block[halo] == 0) return;
  if (threadIdx.x == 0) {
    const gravity::Block block = in.blocks[std::uint32_t(best_block[halo])];
    best = block.begin;
    for (std::uint64_t s = block.begin; s < block.begin + block.count; ++s)
      if (in.depth[s] > in.depth[best]) best = s;
  }
  __syncthreads();
  const float sure = sure_depth(in, best, depth_by_block(in, halo, best));
  if (threadIdx.x == 0 && sure > known[halo]) known[halo] = sure;
}

// Members listed, summed over all of their halos.
__global__ void __launch_bounds__(kThreadsOfSum)
    sum_directly(Screening in, const FoundCandidate* list, float* known) {
  const FoundCandidate one = list[blockIdx.x];  // `halo` is that of the screening
  const double depth = depth_by_block(in, one.halo, one.source);
  if (threadIdx.x != 0) return;
  BlockState state{0, -INFINITY, -INFINITY};
  in.set_depth(one.source, depth, 0, state);
  if (state.sure > -INFINITY) raise(known + one.halo, state.sure);
}

// What a warp needs for its walk. Eight nodes are taken from the stack at a time, and at most 32
// put there, of the level below: 24 more a level.
struct WarpWalk {
  static constexpr unsigned kStack = 24 * gravity::HaloTree::kMostLevels + 40;
  std::uint32_t stack[kStack];
  std::uint32_t leaf[32];
  WarpSources<kStaged> far, near;
};
constexpr int kIndexBits = 27;  // of nodes above the leaves, of which there are 2³² / 32 at most

// Depths of the members of the blocks listed, by the tree: ScreenBlock for a warp.
__global__ void __launch_bounds__(32 * kWarpsOfBlock)
    screen_blocks(Screening in, const std::uint32_t* live, std::uint32_t count, float allowed,
                  bool first, float* known, unsigned long long* best_block) {
  __shared__ WarpWalk walks[kWarpsOfBlock];
  const unsigned lane = threadIdx.x % 32, before = (1u << lane) - 1;
  const std::uint64_t number = (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (number >= count) return;
  WarpWalk& walk = walks[threadIdx.x / 32];
  const std::uint32_t b = live[number];
  const gravity::Block block = in.blocks[b];
  const gravity::HaloTree& tree = in.trees[block.halo];
  const gravity::TreeNode* const nodes = in.nodes + tree.nodes;
  const float known_depth = in.known[block.halo];

  const std::uint64_t source = block.begin + (lane < block.count ? lane : 0);
  bool takes_part = lane < block.count;
  if (takes_part && !first && !may_be_deepest(in.depth[source], in.states[b].error, known_depth)) {
    in.depth[source] = kDropped;
    takes_part = false;
  }
  const unsigned parts = __ballot_sync(~0u, takes_part);
  if (parts == 0) {
    if (lane == 0) in.states[b] = {0, -INFINITY, -INFINITY};
    return;
  }
  const std::uint32_t target[3] = {in.sources.x[source], in.sources.y[source],
                                   in.sources.z[source]};
  gravity::LatticeBox box;
  for (int a = 0; a < 3; ++a) {
    const std::uint32_t origin = __shfl_sync(~0u, target[a], __ffs(int(parts)) - 1);
    const std::int32_t from = takes_part ? std::int32_t(target[a] - origin) : 0;
    box.low[a] = origin + std::uint32_t(warp_minimum(from));
    box.high[a] = origin + std::uint32_t(warp_maximum(from));
  }

  double depth = 0, error = 0;
  unsigned far = 0, near = 0, depth_of_stack = 1;
  const auto within_h = first ? gravity::Softening::Most : gravity::Softening::Here;
  const auto flush = [&](bool soft) {
    if (soft)
      walk.near.attract(near, target, takes_part, {within_h, in.h}, depth);
    else
      walk.far.attract(far, target, takes_part, {gravity::Softening::None, in.h}, depth);
    (soft ? near : far) = 0;
  };
  // Of each thread at most one, those for which `mine` is true.
  const auto add = [&](bool mine, bool soft, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                       float m) {
    for (int list = 0; list < 2; ++list) {
      const bool to_near = list == 1, chosen = mine && soft == to_near;
      const unsigned all = __ballot_sync(~0u, chosen);
      if (all == 0) continue;
      unsigned& filled = to_near ? near : far;
      if (filled + __popc(all) > kStaged) flush(to_near);
      if (chosen) (to_near ? walk.near : walk.far).put(filled + __popc(all & before), x, y, z, m);
      filled += __popc(all);
    }
  };
  const float most_error = allowed * known_depth;
  if (lane == 0) walk.stack[0] = std::uint32_t(tree.levels - 1) << kIndexBits;
  __syncwarp();
  while (depth_of_stack > 0) {
    constexpr unsigned kFan = gravity::HaloTree::kFan, kTaken = 32 / kFan;
    const unsigned taken = depth_of_stack < kTaken ? depth_of_stack : kTaken;
    bool valid = lane / kFan < taken;
    const std::uint32_t parent = valid ? walk.stack[depth_of_stack - taken + lane / kFan] : 0;
    __syncwarp();
    depth_of_stack -= taken;
    const int level = int(parent >> kIndexBits) - 1;
    const std::uint32_t child = (parent & ((1u << kIndexBits) - 1)) * kFan + lane % kFan;
    valid = valid && child < tree.level_size(level);
    gravity::TreeNode node{};
    gravity::NodeError e{};
    if (valid) {
      node = nodes[tree.level_begin[level] + child];
      e = gravity::error_of_node(node.center[0], node.center[1], node.center[2], node.radius,
                                 node.spread, level, box, in.h);
    }
    const bool seen = valid && e.error <= most_error;
    if (seen) error += double(node.mass) * double(e.error);
    add(seen, !(e.outside > in.h), node.center[0], node.center[1], node.center[2], node.mass);
    const bool opened = valid && !seen && level > 0;
    const unsigned all_opened = __ballot_sync(~0u, opened);
    if (opened)
      walk.stack[depth_of_stack + __popc(all_opened & before)] =
          std::uint32_t(level) << kIndexBits | child;
    depth_of_stack += __popc(all_opened);

    const bool leaf = valid && !seen && level == 0;
    const unsigned leaves = __ballot_sync(~0u, leaf);
    if (leaf) {
      const bool soft =
          box.squared_distance(node.box) * float(1 / gravity::kRoundUp) <= in.h * in.h;
      walk.leaf[__popc(leaves & before)] = child << 1 | std::uint32_t(soft);
    }
    __syncwarp();
    constexpr unsigned kLeaf = gravity::HaloTree::kLeaf;
    for (unsigned k = 0; k < unsigned(__popc(leaves)); k += 32 / kLeaf) {
      const bool there = k + lane / kLeaf < unsigned(__popc(leaves));
      const std::uint32_t which = there ? walk.leaf[k + lane / kLeaf] : 0;
      const std::uint64_t from = std::uint64_t(which >> 1) * kLeaf + lane % kLeaf;
      const bool mine = there && from < in.members(block.halo);
      const std::uint64_t s = in.source_begin[block.halo] + (mine ? from : 0);
      add(mine, which & 1, in.sources.x[s], in.sources.y[s], in.sources.z[s], in.sources.mass[s]);
    }
    __syncwarp();
  }
  flush(false);
  flush(true);
  error = warp_sum(error) * gravity::kRoundUp;

  BlockState state{first ? 0.f : float(error), -INFINITY, -INFINITY};
  if (takes_part) {
    if (first)
      in.set_most(source, depth + error, state);
    else
      in.set_depth(source, depth, float(error), state);
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    const float sure = __shfl_xor_sync(~0u, state.sure, apart);
    const float possible = __shfl_xor_sync(~0u, state.possible, apart);
    state.sure = sure > state.sure ? sure : state.sure;
    state.possible = possible > state.possible ? possible : state.possible;
  }
  if (lane != 0) return;
  in.states[b] = state;
  if (state.sure > -INFINITY) raise(known + block.halo, state.sure);
  if (first && state.possible > -INFINITY)
    atomicMax(best_block + block.halo,
              std::uint64_t(ordered(state.possible)) << 32 | std::uint64_t(b));
}

struct MayHoldDeepest {
  const gravity::Block* blocks;
  const BlockState* states;
  const float* known;
  __device__ bool operator()(std::uint32_t b) const {
    return states[b].possible >= known[blocks[b].halo];
  }
};

// Members of blocks listed that may be the deepest of their halos.
__global__ void list_members(Screening in, const std::uint32_t* live, std::uint32_t count,
                             const std::uint32_t* member_of, FoundCandidate* out,
                             std::uint32_t* found) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i / 32 >= count) return;
  const std::uint32_t b = live[i / 32];
  const gravity::Block block = in.blocks[b];
  if (i % 32 >= block.count) return;
  const std::uint64_t s = block.begin + i % 32;
  if (!may_be_deepest(in.depth[s], in.states[b].error, in.known[block.halo])) return;
  const std::uint32_t to = atomicAdd(found, 1u);
  if (out)
    out[to] = {block.halo,
               member_of[s],
               {in.sources.x[s], in.sources.y[s], in.sources.z[s]},
               in.sources.mass[s],
               s};
}

// What the sums in double need of each candidate: parts of as many members as the CPU's.
struct ExactPart {
  std::uint32_t candidate, part;
};
struct PartOfDepth {
  double sum;
  std::uint32_t here;  // members at its place
};
struct SumExactPart {
  const Member* members;
  const std::uint64_t* begin;
  double h;
  const Candidate* candidates;
  const ExactPart* list;
  PartOfDepth* out;
  __device__ void operator()(std::size_t k) const {
    const Candidate& candidate = candidates[list[k].candidate];
    const Member at = members[candidate.member];
    const std::uint64_t first = begin[candidate.halo] + list[k].part * Slice::kSize;
    const std::uint64_t end = begin[candidate.halo + 1];
    PartOfDepth part{0, 0};
    for (std::uint64_t i = first; i < first + Slice::kSize && i < end; ++i) {
      const Member& m = members[i];
      const Offset d = offset_from(m, at.x, at.y, at.z);
      const double r2 = d.x * d.x + d.y * d.y + d.z * d.z;
      if (r2 > 0)
        part.sum -= double(m.mass) * gravity::softened_potential(r2, h);
      else
        ++part.here;
    }
    out[k] = part;
  }
};
// ExactDepth, of parts.
struct FinishExactDepth {
  const Member* members;
  const std::uint64_t* begin;
  double h;
  Candidate* candidates;
  const std::uint64_t* first_part;
  const PartOfDepth* parts;
  double* depth;
  __device__ void operator()(std::size_t c) const {
    Candidate& candidate = candidates[c];
    const Member at = members[candidate.member];
    const std::uint64_t from = begin[candidate.halo], end = begin[candidate.halo + 1];
    double sum = 0;
    std::uint64_t here = 0;
    for (std::uint64_t p = first_part[c]; p < first_part[c + 1]; ++p) {
      sum += parts[p].sum;
      here += parts[p].here;
    }
    double coincident = 0;
    if (here > 1)
      each_here(from, end, at,
                [&](const Member& m, std::uint64_t) { coincident += double(m.mass); });
    else
      coincident = double(at.mass);
    const auto depth_of = [&](const Member& m) {
      return sum + (h > 0 ? 14.0 / 5 / h * (coincident - double(m.mass)) : 0);
    };
    double deepest = depth_of(at);
    if (here > 1)
      each_here(from, end, at, [&](const Member& m, std::uint64_t i) {
        const double d = depth_of(m);
        if (!(d > deepest) && !(d == deepest && i < candidate.member)) return;
        deepest = d;
        candidate.member = std::uint32_t(i);
      });
    depth[c] = deepest;
  }

 private:
  template <class F>
  __device__ void each_here(std::uint64_t from, std::uint64_t end, const Member& at,
                            const F& use) const {
    for (std::uint64_t i = from; i < end; ++i) {
      const Member& m = members[i];
      if (m.x == at.x && m.y == at.y && m.z == at.z) use(m, i);
    }
  }
};

struct TakeDepth {
  const FoundCandidate* list;
  const float* depth;
  float* out;
  __device__ void operator()(std::size_t k) const { out[k] = depth[list[k].source]; }
};

template <>
class MostBoundSearch<Cuda> {
 public:
  MostBoundSearch(Cuda& exec, const Member* members, const std::vector<std::uint64_t>& begin,
                  const Slices<Cuda>& slices, const Sums<FirstMoments::kTerms>* halos, double h)
      : exec_(exec), members_(members), begin_(begin), halos_(halos), h_(h) {
    begins_ = upload(exec, begin, kName);
    list_halos();
    if (!large_.empty()) make_sources(slices);
  }

  std::vector<MostBound> run() {
    std::vector<FoundCandidate> found = small_candidates();
    for (FoundCandidate one : large_candidates()) {
      one.halo = large_[one.halo];
      found.push_back(one);
    }
    return choose(found);
  }

 private:
  static constexpr const char* kName = "potentials";
  // As on the CPU.
  static constexpr float kFirstAllowed = 0.4f, kAllowed[] = {0.1f, 0.025f};

  template <class Kernel, class... Arguments>
  void launch(Kernel kernel, std::uint64_t threads, unsigned of_block, Arguments... arguments) {
    if (threads == 0) return;
    const NamedRange range(kName);
    kernel<<<unsigned((threads + of_block - 1) / of_block), of_block, 0, exec_.stream()>>>(
        arguments...);
    check_cuda(cudaGetLastError(), kName);
  }

  void list_halos() {
    large_of_.assign(begin_.size() - 1, ~std::uint32_t(0));
    large_begin_.push_back(0);
    source_begin_.push_back(0);
    for (std::uint32_t halo = 0; halo + 1 < begin_.size(); ++halo) {
      const std::uint64_t count = begin_[halo + 1] - begin_[halo];
      constexpr std::uint32_t kSize = gravity::Block::kSize;
      const auto of_block = [&](std::uint64_t i) {
        return std::uint32_t(std::min<std::uint64_t>(count - i, kSize));
      };
      if (count <= kDirectSum) {
        for (std::uint64_t i = 0; i < count; i += kSize)
          small_.push_back({begin_[halo] + i, of_block(i), halo});
        continue;
      }
      const auto number = std::uint32_t(large_.size());
      std::uint32_t in_halo = 0;
      for (std::uint64_t i = 0; i < count; i += kSize, ++in_halo)
        blocks_.push_back({source_begin_.back() + i, of_block(i), number, in_halo});
      trees_.push_back(gravity::make_tree(nodes_, count));
      nodes_ += trees_.back().level_begin[trees_.back().levels];
      large_of_[halo] = number;
      large_.push_back(halo);
      large_begin_.push_back(large_begin_.back() + count);
      constexpr std::uint64_t kMultiple = gravity::SourceView::kMultiple;
      source_begin_.push_back(source_begin_.back() +
                              (count + kMultiple - 1) / kMultiple * kMultiple);
    }
  }

  std::vector<FoundCandidate> small_candidates() {
    if (small_.empty()) return {};
    const auto blocks = upload(exec_, small_, kName);
    auto known = upload(exec_, std::vector<float>(begin_.size() - 1, -INFINITY), kName);
    Buffer<float, Cuda> depth(exec_, begin_.back(), kName);
    const SmallHalos in{
        members_,  begins_.data(), halos_,      blocks.data(), std::uint32_t(small_.size()),
        float(h_), known.data(),   depth.data()};
    launch(sum_small_halos, 32 * std::uint64_t(small_.size()), 32 * kWarpsOfBlock, in);
    return listed([&](FoundCandidate* out, std::uint32_t* count) {
      launch(list_small_candidates, 32 * std::uint64_t(small_.size()), 256, in, out, count);
    });
  }

  // Counts first, then lists.
  template <class List>
  std::vector<FoundCandidate> listed(const List& list) {
    Buffer<std::uint32_t, Cuda> count(exec_, 1, kName);
    exec_.zero(count.data(), sizeof(std::uint32_t));
    list(nullptr, count.data());
    std::uint32_t n = 0;
    exec_.download(&n, count.data(), sizeof n);
    Buffer<FoundCandidate, Cuda> found(exec_, n, kName);
    exec_.zero(count.data(), sizeof(std::uint32_t));
    list(found.data(), count.data());
    return download(exec_, found);
  }

  void make_sources(const Slices<Cuda>& slices) {
    const std::uint64_t members = large_begin_.back(), sources = source_begin_.back();
    const auto large_of = upload(exec_, large_of_, kName);
    const auto halo_of = upload(exec_, large_, kName);
    const auto large_begins = upload(exec_, large_begin_, kName);
    large_begins_ = upload(exec_, large_begin_, kName);
    source_begins_ = upload(exec_, source_begin_, kName);
    Buffer<std::uint32_t, Cuda> reach(exec_, large_.size(), kName);
    exec_.zero(reach.data(), large_.size() * sizeof(std::uint32_t));
    const std::size_t n = slices.slices.size();
    parallel_for(
        exec_, kName, n,
        FindReach{members_, begins_.data(), slices.slices.data(), large_of.data(), reach.data()});
    Buffer<std::uint64_t, Cuda> keys(exec_, members, kName);
    Buffer<std::uint32_t, Cuda> order(exec_, members, kName);
    parallel_for(exec_, kName, n,
                 KeyLargeMembers{members_, begins_.data(), slices.slices.data(), large_of.data(),
                                 reach.data(), large_begins.data(), keys.data(), order.data()});
    sort_pairs(exec_, keys, order,
               3 * KeyLargeMembers::kAxisBits + int(std::bit_width(large_.size())));
    for (auto* column : {&x_, &y_, &z_, &member_of_}) {
      *column = Buffer<std::uint32_t, Cuda>(exec_, sources, kName);
      exec_.zero(column->data(), sources * sizeof(std::uint32_t));
    }
    mass_ = Buffer<float, Cuda>(exec_, sources, kName);
    exec_.zero(mass_.data(), sources * sizeof(float));
    parallel_for(exec_, kName, members,
                 MakeLargeSources{members_, halos_, halo_of.data(), large_begins.data(),
                                  source_begins_.data(), keys.data(), order.data(), x_.data(),
                                  y_.data(), z_.data(), member_of_.data(), mass_.data()});
    on_device_ = upload(exec_, blocks_, kName);
    trees_there_ = upload(exec_, trees_, kName);
    make_trees();
    depth_ = Buffer<float, Cuda>(exec_, sources, kName);
    states_ = Buffer<BlockState, Cuda>(exec_, blocks_.size(), kName);
    known_ = upload(exec_, std::vector<float>(large_.size(), -INFINITY), kName);
  }

  void make_trees() {
    nodes_there_ = Buffer<gravity::TreeNode, Cuda>(exec_, nodes_, kName);
    const gravity::SourceView sources{x_.data(), y_.data(), z_.data(), mass_.data()};
    parallel_for(
        exec_, kName, blocks_.size(),
        gravity::MakeLeaves{on_device_.data(), sources, trees_there_.data(), nodes_there_.data()});
    int levels = 0;
    for (const gravity::HaloTree& tree : trees_) levels = std::max(levels, tree.levels);
    for (int level = 1; level < levels; ++level) {
      std::vector<std::uint64_t> first{0};
      for (const gravity::HaloTree& tree : trees_)
        first.push_back(first.back() + (level < tree.levels ? tree.level_size(level) : 0));
      const auto firsts = upload(exec_, first, kName);
      parallel_for(exec_, kName, first.back(),
                   JoinLevel{trees_there_.data(), firsts.data(), std::uint32_t(trees_.size()),
                             level, nodes_there_.data()});
    }
  }

  Screening screening() {
    return {{x_.data(), y_.data(), z_.data(), mass_.data()},
            large_begins_.data(),
            source_begins_.data(),
            on_device_.data(),
            trees_there_.data(),
            nodes_there_.data(),
            nullptr,
            known_.data(),
            float(h_),
            depth_.data(),
            states_.data()};
  }

  void screen(float allowed, bool first, unsigned long long* best) {
    launch(screen_blocks, 32 * std::uint64_t(live_count_), 32 * kWarpsOfBlock, screening(),
           live_.data(), live_count_, allowed, first, known_.data(), best);
    if (!first) keep_live();
  }

  // Blocks that may hold the deepest member.
  void keep_live() {
    Buffer<std::uint32_t, Cuda> left(exec_, live_count_, kName), count(exec_, 1, kName);
    select_if(exec_, kName, live_.data(), live_count_, left.data(), count.data(),
              MayHoldDeepest{on_device_.data(), states_.data(), known_.data()});
    exec_.download(&live_count_, count.data(), sizeof live_count_);
    live_ = std::move(left);
  }

  std::vector<FoundCandidate> live_members() {
    return listed([&](FoundCandidate* out, std::uint32_t* count) {
      launch(list_members, 32 * std::uint64_t(live_count_), 256, screening(), live_.data(),
             live_count_, member_of_.data(), out, count);
    });
  }

  // Their `halo` counts large halos.
  std::vector<FoundCandidate> large_candidates() {
    if (large_.empty()) return {};
    std::vector<std::uint32_t> all(blocks_.size());
    for (std::uint32_t b = 0; b < all.size(); ++b) all[b] = b;
    live_ = upload(exec_, all, kName);
    live_count_ = std::uint32_t(all.size());
    const auto halos = std::uint64_t(large_.size());
    launch(find_first_bounds, halos * kThreadsOfSum, kThreadsOfSum, screening(), known_.data());
    Buffer<unsigned long long, Cuda> best(exec_, large_.size(), kName);
    exec_.zero(best.data(), large_.size() * sizeof(unsigned long long));
    screen(kFirstAllowed, true, best.data());
    launch(raise_bounds, halos * kThreadsOfSum, kThreadsOfSum, screening(), best.data(),
           known_.data());
    keep_live();
    for (const float allowed : kAllowed) screen(allowed, false, nullptr);

    std::vector<FoundCandidate> left = live_members();
    auto known = download(exec_, known_);
    drop_ties(left, [&](const FoundCandidate& c) { return known[c.halo] > 0; });
    const auto list = upload(exec_, left, kName);
    launch(sum_directly, left.size() * std::uint64_t(kThreadsOfSum), kThreadsOfSum, screening(),
           list.data(), known_.data());
    known = download(exec_, known_);
    const auto depth = depths_of(list);
    std::vector<FoundCandidate> found;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (may_be_deepest(depth[k], 0, known[left[k].halo])) found.push_back(left[k]);
    return found;
  }

  std::vector<float> depths_of(const Buffer<FoundCandidate, Cuda>& list) {
    Buffer<float, Cuda> depth(exec_, list.size(), kName);
    parallel_for(exec_, kName, list.size(), TakeDepth{list.data(), depth_.data(), depth.data()});
    return download(exec_, depth);
  }

  // As on the CPU: of members at one place all but the lightest, and all but the first of halos in
  // which nothing attracts.
  template <class Attracts>
  static void drop_ties(std::vector<FoundCandidate>& list, const Attracts& attracts) {
    constexpr std::size_t kFew = 1000;
    if (list.size() < kFew) return;
    const auto place = [&](const FoundCandidate& c) {
      return attracts(c) ? std::tuple(c.halo, c.p[0], c.p[1], c.p[2])
                         : std::tuple(c.halo, 0u, 0u, 0u);
    };
    const auto order = [&](const FoundCandidate& c) {
      return std::tuple(place(c), attracts(c) ? c.mass : 0.f, c.member);
    };
    std::sort(list.begin(), list.end(), [&](const FoundCandidate& a, const FoundCandidate& b) {
      return order(a) < order(b);
    });
    list.erase(std::unique(list.begin(), list.end(),
                           [&](const FoundCandidate& a, const FoundCandidate& b) {
                             return place(a) == place(b);
                           }),
               list.end());
  }

  std::vector<MostBound> choose(std::vector<FoundCandidate>& found) {
    std::vector<Candidate> list;
    std::vector<ExactPart> parts;
    std::vector<std::uint64_t> first_part{0};
    for (const FoundCandidate& one : found) {
      const auto c = std::uint32_t(list.size());
      list.push_back({one.halo, one.member, 0});
      const std::uint64_t members = begin_[one.halo + 1] - begin_[one.halo];
      for (std::uint32_t p = 0; p * Slice::kSize < members; ++p) parts.push_back({c, p});
      first_part.push_back(parts.size());
    }
    auto candidates = upload(exec_, list, kName);
    const auto all_parts = upload(exec_, parts, kName);
    const auto first_parts = upload(exec_, first_part, kName);
    Buffer<PartOfDepth, Cuda> sums(exec_, parts.size(), kName);
    Buffer<double, Cuda> exact(exec_, list.size(), kName);
    parallel_for(exec_, kName, parts.size(),
                 SumExactPart{members_, begins_.data(), h_, candidates.data(), all_parts.data(),
                              sums.data()});
    parallel_for(exec_, kName, list.size(),
                 FinishExactDepth{members_, begins_.data(), h_, candidates.data(),
                                  first_parts.data(), sums.data(), exact.data()});
    return deepest_of(begin_, download(exec_, candidates), download(exec_, exact));
  }

  Cuda& exec_;
  const Member* members_;
  const std::vector<std::uint64_t>& begin_;
  const Sums<FirstMoments::kTerms>* halos_;
  double h_;
  std::vector<SmallBlock> small_;
  std::vector<std::uint32_t> large_, large_of_;            // halos; their numbers among the large
  std::vector<std::uint64_t> large_begin_, source_begin_;  // of large halos
  std::vector<gravity::Block> blocks_;
  std::vector<gravity::HaloTree> trees_;
  std::uint64_t nodes_ = 0;
  Buffer<std::uint64_t, Cuda> begins_, large_begins_, source_begins_;
  Buffer<std::uint32_t, Cuda> x_, y_, z_, member_of_;
  Buffer<float, Cuda> mass_, depth_, known_;
  Buffer<gravity::Block, Cuda> on_device_;
  Buffer<gravity::HaloTree, Cuda> trees_there_;
  Buffer<gravity::TreeNode, Cuda> nodes_there_;
  Buffer<BlockState, Cuda> states_;
  Buffer<std::uint32_t, Cuda> live_;
  std::uint32_t live_count_ = 0;
};

}  // namespace haloscope::compute::halos
