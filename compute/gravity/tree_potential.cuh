#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/warp.cuh"
#include "compute/gravity/potential_terms.h"

#include <cstdint>

// Potentials of a tree on a GPU: a warp for each group of bodies, two bodies a lane. The warp tests
// 32 cells at a time, and what it finds to sum goes through lists in shared memory, 32 terms at a
// time: each lane fetches one, then all lanes add all of them.
namespace haloscope::compute::gravity {

inline constexpr int kWarpsPerBlock = 4, kLanes = 32;
inline constexpr int kTargets = kGroupBodies / kLanes;

// 1 / √x to 2⁻²²; what is too small for a normal number is 0.
__device__ inline float fast_inverse_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The sum of the values of lower lanes, and of all.
struct LaneSum {
  std::uint32_t before, all;
};
__device__ inline LaneSum lane_sum(std::uint32_t value, std::uint32_t lane) {
  std::uint32_t sum = value;
  for (int apart = 1; apart < kLanes; apart *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, unsigned(apart));
    if (int(lane) >= apart) sum += other;
  }
  return {sum - value, __shfl_sync(~0u, sum, kLanes - 1)};
}

// What is left to be looked at. A step takes 32 cells at most, and no more than leave room for the
// children that they may have. One cell at a time adds seven for each level at most.
inline constexpr std::uint32_t kStack = 768, kStackReserve = 7 * 22 + 8;
// Bodies of a leaf that a lane lists at a time.
inline constexpr std::uint32_t kListed = 8;
// Marks in lists: a cell whose bodies are summed one by one, and a body with an image of its own.
inline constexpr std::uint32_t kOnlyImages = 1u << 31, kOwnImage = 1u << 31;

template <bool kEwald>
struct WarpRoom {
  // An odd stride keeps lanes on banks of their own.
  static constexpr int kStride = kDerivatives + 1;

  std::uint32_t stack[kStack];
  std::uint32_t cells[2 * kLanes];
  std::uint32_t bodies[kLanes * (kListed + 1)];
  float4 place[kLanes];  // and the mass
  float4 more[2 * kLanes];
  float images[kEwald ? kLanes * kStride : 1];
};

template <bool kEwald>
class WarpSum {
 public:
  __device__ WarpSum(const PotentialWork& work, WarpRoom<kEwald>& room)
      : work_(work), room_(room), lane_(threadIdx.x % kLanes) {}

  __device__ void operator()(const BodyGroup& group) {
    place(group);
    walk();
    while (cells_ > 0) sum_cells();
    while (bodies_ > 0) sum_bodies();
    write(group);
  }

 private:
  __device__ void place(const BodyGroup& group) {
    std::uint32_t at[kTargets][3], low[3] = {~0u, ~0u, ~0u}, high[3] = {};
    for (int t = 0; t < kTargets; ++t) {
      const std::uint32_t k = lane_ + std::uint32_t(t * kLanes);
      // Lanes without a body have the group's first, which changes no extent, and write nothing.
      const PotentialSource s = work_.sources[group.begin + (k < group.count ? k : 0)];
      at[t][0] = s.x, at[t][1] = s.y, at[t][2] = s.z;
      for (int a = 0; a < 3; ++a) {
        low[a] = min(low[a], at[t][a]);
        high[a] = max(high[a], at[t][a]);
      }
    }
    for (int a = 0; a < 3; ++a) {
      low[a] = warp_minimum(low[a]);
      high[a] = warp_maximum(high[a]);
    }
    frame_.wide = work_.wide;
    frame_.place(low, high);
    bool rounded = false;
    for (int t = 0; t < kTargets; ++t)
      for (int a = 0; a < 3; ++a) {
        at_[t][a] = frame_.apart(at[t][a], a);
        rounded = rounded || at_[t][a].low != 0;
      }
    rounded_ = __any_sync(~0u, rounded);
  }

  __device__ void walk() {
    if (lane_ == 0) room_.stack[0] = 0;
    std::uint32_t size = 1;
    __syncwarp();
    while (size > 0) {
      const std::uint32_t fitting =
          size + kStackReserve < kStack ? (kStack - kStackReserve - size) / 7 : 0;
      const std::uint32_t taken = min(min(size, std::uint32_t(kLanes)), max(fitting, 1u));
      size -= taken;
      std::uint32_t number = 0;
      PotentialCell cell{};
      bool seen = false, opened = false, leaf = false, apart = false;
      if (lane_ < taken) {
        number = room_.stack[size + lane_];
        cell = work_.cells[number];
        if (cell.mass > 0) {
          const float d[3] = {frame_.near(cell.x, 0), frame_.near(cell.y, 1),
                              frame_.near(cell.z, 2)};
          opened = frame_.opens(d, cell.open2);
          leaf = opened && (cell.kind & PotentialCell::kLeaf);
          seen = !opened;
          apart = kEwald && ((cell.kind & PotentialCell::kLarge) || GroupFrame::is_torn(d));
        }
      }
      __syncwarp();
      const LaneSum children = lane_sum(opened && !leaf ? cell.count : 0, lane_);
      if (opened && !leaf)
        for (std::uint32_t c = 0; c < cell.count; ++c)
          room_.stack[size + children.before + c] = cell.first + c;
      size += children.all;
      const bool images = kEwald && leaf && !apart;
      list_cell(seen || images, images ? number | kOnlyImages : number);
      list_bodies(leaf ? cell.count : 0, cell.first, leaf && apart);
    }
  }

  __device__ void list_cell(bool listed, std::uint32_t number) {
    const std::uint32_t all = __ballot_sync(~0u, listed);
    if (listed) room_.cells[cells_ + __popc(all & ((1u << lane_) - 1))] = number;
    cells_ += __popc(all);
    __syncwarp();
    if (cells_ >= kLanes) sum_cells();
  }

  // Of a leaf that each lane may have.
  __device__ void list_bodies(std::uint32_t count, std::uint32_t first, bool own_images) {
    while (__any_sync(~0u, count > 0)) {
      const std::uint32_t some = min(count, kListed);
      const LaneSum listed = lane_sum(some, lane_);
      for (std::uint32_t k = 0; k < some; ++k)
        room_.bodies[bodies_ + listed.before + k] = (first + k) | (own_images ? kOwnImage : 0);
      first += some;
      count -= some;
      bodies_ += listed.all;
      __syncwarp();
      while (bodies_ >= kLanes) sum_bodies();
    }
  }

  // The last cells of the list, 32 at most.
  __device__ void sum_cells() {
    const std::uint32_t taken = min(cells_, std::uint32_t(kLanes));
    cells_ -= taken;
    // What fills up the list is far away and has no mass.
    float4 place = make_float4(1e6f, 0, 0, 0), more = make_float4(0, 0, 0, 0), rest = more;
    float whole = 0;
    CellSpread spread{};
    if (lane_ < taken) {
      const std::uint32_t entry = room_.cells[cells_ + lane_];
      const std::uint32_t number = entry & ~kOnlyImages;
      const PotentialCell cell = work_.cells[number];
      spread = work_.spreads[number];
      place = make_float4(frame_.near(cell.x, 0), frame_.near(cell.y, 1), frame_.near(cell.z, 2),
                          cell.mass);
      whole = cell.mass;
      if (!(entry & kOnlyImages)) {
        const Quadrupole q = quadrupole_of(spread);
        more = make_float4(q.xx, q.xy, q.xz, q.yy);
        rest = make_float4(q.yz, q.zz, 0, 0);
        ++cell_terms_;
      }
      if constexpr (kEwald) list_images(place, whole, spread);
      if (entry & kOnlyImages) place = make_float4(1e6f, 0, 0, 0);
    } else if constexpr (kEwald) {
      list_images(place, 0, spread);
    }
    room_.place[lane_] = place;
    room_.more[2 * lane_] = more;
    room_.more[2 * lane_ + 1] = rest;
    __syncwarp();
    float sum[kTargets] = {};
    for (int j = 0; j < kLanes; ++j) {
      const float4 c = room_.place[j], m = room_.more[2 * j], r = room_.more[2 * j + 1];
      const Quadrupole q{m.x, m.y, m.z, m.w, r.x, r.y};
      for (int t = 0; t < kTargets; ++t) {
        const float dx = c.x - at_[t][0].high, dy = c.y - at_[t][1].high, dz = c.z - at_[t][2].high;
        const float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
        sum[t] += cell_depth(dx, dy, dz, c.w, q, fast_inverse_root(r2));
      }
    }
    for (int t = 0; t < kTargets; ++t) depth_[t] += double(sum[t]);
    if constexpr (kEwald) add_images();
    __syncwarp();
  }

  __device__ void sum_bodies() {
    const std::uint32_t taken = min(bodies_, std::uint32_t(kLanes));
    bodies_ -= taken;
    float4 place = make_float4(1e6f, 0, 0, 0), low = make_float4(0, 0, 0, 0);
    bool rounded = false, image = false, near = false;
    if (lane_ < taken) {
      const std::uint32_t entry = room_.bodies[bodies_ + lane_];
      image = kEwald && (entry & kOwnImage);
      const PotentialSource s = work_.sources[kEwald ? entry & ~kOwnImage : entry];
      const Apart x = frame_.apart(s.x, 0), y = frame_.apart(s.y, 1), z = frame_.apart(s.z, 2);
      place = make_float4(x.high, y.high, z.high, s.mass);
      low = make_float4(x.low, y.low, z.low, 0);
      rounded = x.low != 0 || y.low != 0 || z.low != 0;
      const float d[3] = {x.high, y.high, z.high};
      near = frame_.opens(d, work_.soft.near2);
      ++body_terms_;
    }
    room_.place[lane_] = place;
    room_.more[lane_] = low;
    if constexpr (kEwald) {
      if (__any_sync(~0u, image)) {
        list_images(place, image ? place.w : 0, CellSpread{});
        __syncwarp();
        add_images();
      }
    }
    const bool fine = work_.fine && (rounded_ || __any_sync(~0u, rounded));
    __syncwarp();
    if (fine)
      add_bodies<true, true>();
    else if (__any_sync(~0u, near))
      add_bodies<false, true>();
    else
      add_bodies<false, false>();
    __syncwarp();
  }

  // kFine: with what single precision leaves out of places; kNear: some may lie within the spline's
  // support of a target.
  template <bool kFine, bool kNear>
  __device__ void add_bodies() {
    const SoftSums soft = work_.soft;
    float sum[kTargets] = {};
#pragma unroll 4
    for (int j = 0; j < kLanes; ++j) {
      const float4 s = room_.place[j];
      float r2[kTargets], inverse[kTargets], term[kTargets];
      bool near = false;
      for (int t = 0; t < kTargets; ++t) {
        float dx = s.x - at_[t][0].high, dy = s.y - at_[t][1].high, dz = s.z - at_[t][2].high;
        if constexpr (kFine) {
          const float4 low = room_.more[j];
          dx += low.x - at_[t][0].low;
          dy += low.y - at_[t][1].low;
          dz += low.z - at_[t][2].low;
        }
        r2[t] = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
        inverse[t] = fast_inverse_root(r2[t]);
        term[t] = s.w * inverse[t];
        near = near || r2[t] < soft.near2;
      }
      if (kNear && near)
        for (int t = 0; t < kTargets; ++t)
          if (r2[t] < soft.near2) term[t] = near_depth(r2[t], inverse[t], s.w, coincident_[t]);
      for (int t = 0; t < kTargets; ++t) sum[t] += term[t];
    }
    for (int t = 0; t < kTargets; ++t) depth_[t] += double(sum[t]);
  }

  // Of what lies within the support, or at the very place without softening.
  __device__ float near_depth(float r2, float inverse, float mass, float& coincident) const {
    if (r2 > 0) return spline_depth(r2, inverse, mass, work_.soft.h, work_.soft.per_h);
    coincident += mass;
    return 0;
  }

  __device__ void list_images(const float4& place, float mass, const CellSpread& spread) {
    constexpr auto kPerBox = float(1 / kUnitsPerDomain);
    Derivatives<float> one{};
    if (mass > 0) {
      const float at[3] = {place.x * kPerBox, place.y * kPerBox, place.z * kPerBox};
      float scaled[6];
      for (int k = 0; k < 6; ++k) scaled[k] = spread.value[k] * kPerBox * kPerBox;
      add_ewald(work_.ewald, at, mass, scaled, one);
    }
    for (int k = 0; k < kDerivatives; ++k)
      room_.images[int(lane_) * WarpRoom<kEwald>::kStride + k] = one.value[k];
  }
  // Lanes add up a coefficient each.
  __device__ void add_images() {
    if (lane_ >= kDerivatives) return;
    float sum = 0;
    for (int k = 0; k < kLanes; ++k)
      sum += room_.images[k * WarpRoom<kEwald>::kStride + int(lane_)];
    image_ += double(sum);
  }

  __device__ void write(const BodyGroup& group) {
    double coefficients[kEwald ? kDerivatives : 1];
    if constexpr (kEwald)
      for (int k = 0; k < kDerivatives; ++k) coefficients[k] = __shfl_sync(~0u, image_, k);
    for (int t = 0; t < kTargets; ++t) {
      const std::uint32_t k = lane_ + std::uint32_t(t * kLanes);
      if (k >= group.count) continue;
      double images = 0;
      if constexpr (kEwald) {
        constexpr double kPerBox = 1 / kUnitsPerDomain;
        images = polynomial(coefficients, double(at_[t][0].high) * kPerBox,
                            double(at_[t][1].high) * kPerBox, double(at_[t][2].high) * kPerBox);
      }
      const std::uint32_t place = group.begin + k;
      work_.potential[work_.row(place)] =
          work_.potential_of(depth_[t], coincident_[t], work_.sources[place].mass, images);
    }
    const std::uint32_t cells = lane_sum(cell_terms_, lane_).all,
                        bodies = lane_sum(body_terms_, lane_).all;
    if (lane_ == 0) {
      atomicAdd(work_.terms, static_cast<unsigned long long>(cells) * group.count);
      atomicAdd(work_.terms + 1, static_cast<unsigned long long>(bodies) * group.count);
    }
  }

  const PotentialWork& work_;
  WarpRoom<kEwald>& room_;
  const std::uint32_t lane_;
  GroupFrame frame_{};
  Apart at_[kTargets][3];
  bool rounded_ = false;
  double depth_[kTargets] = {};
  float coincident_[kTargets] = {};
  double image_ = 0;  // of the lane's coefficient
  std::uint32_t cells_ = 0, bodies_ = 0, cell_terms_ = 0, body_terms_ = 0;
};

template <bool kEwald>
__global__ void __launch_bounds__(kWarpsPerBlock* kLanes)
    sum_groups_kernel(const __grid_constant__ PotentialWork work) {
  extern __shared__ float4 shared[];
  auto* const rooms = reinterpret_cast<WarpRoom<kEwald>*>(shared);
  const std::uint32_t warp = threadIdx.x / kLanes;
  const std::uint64_t group = std::uint64_t(blockIdx.x) * kWarpsPerBlock + warp;
  if (group >= work.group_number) return;
  WarpSum<kEwald>(work, rooms[warp])(work.groups[group]);
}

template <bool kEwald>
void launch_sums(Cuda& exec, const PotentialWork& work) {
  constexpr std::size_t kBytes = kWarpsPerBlock * sizeof(WarpRoom<kEwald>);
  exec.make_current();
  check_cuda(cudaFuncSetAttribute(sum_groups_kernel<kEwald>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, int(kBytes)),
             "potentials");
  const unsigned blocks = (work.group_number + kWarpsPerBlock - 1) / kWarpsPerBlock;
  sum_groups_kernel<kEwald><<<blocks, kWarpsPerBlock * kLanes, kBytes, exec.stream()>>>(work);
  check_cuda(cudaGetLastError(), "potentials");
}

inline void sum_groups(Cuda& exec, const PotentialWork& work) {
  if (work.group_number == 0) return;
  const NamedRange range("potentials");
  if (work.ewald.grid)
    launch_sums<true>(exec, work);
  else
    launch_sums<false>(exec, work);
}

}  // namespace haloscope::compute::gravity
