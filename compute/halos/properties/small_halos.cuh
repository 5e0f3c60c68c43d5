#pragma once

#include "compute/halos/properties/members.inl"
#include "compute/halos/properties/most_bound_screening.inl"
#include "compute/halos/properties/warp_sources.cuh"

#include <cstdint>

// Depths of the members of small halos on a GPU: sums over all of them, a member a thread.
namespace haloscope::compute::halos {

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

}  // namespace haloscope::compute::halos
