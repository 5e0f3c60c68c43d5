#pragma once

#include "compute/exec/warp.cuh"
#include "compute/halos/properties/most_bound_screening.inl"
#include "compute/halos/properties/warp_sources.cuh"

#include <cstdint>

// Bounds on how deep members of large halos lie, on a GPU: as most_bound_screening.inl has them, by
// warps that walk the tree and by blocks of threads that sum over whole halos.
namespace haloscope::compute::halos {

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

}  // namespace haloscope::compute::halos
