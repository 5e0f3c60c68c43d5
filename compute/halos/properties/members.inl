#pragma once

#include "compute/exec/slices.inl"
#include "compute/halos/properties/properties.h"
#include "compute/halos/properties/radial_profile.inl"
#include "core/host_device.h"

#include <array>
#include <cmath>
#include <cstdint>

// The members of all halos side by side, and sums over them.
namespace haloscope::compute::halos {

// Half a cache line.
struct alignas(32) Member {
  std::uint32_t x, y, z;
  float mass;
  float v[3];
};

struct GatherMembers {
  const std::uint32_t *x, *y, *z;
  const float *vx, *vy, *vz;  // null: not known
  const float* mass;          // null: all uniform_mass
  float uniform_mass;
  std::uint32_t types, slot;
  const Slice* slices;  // of runs halo · types + slot
  const std::uint32_t* rows;
  Member* members;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    if (slices[s].run % types != slot) return;
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const std::uint32_t row = rows[i];
      Member m{x[row], y[row], z[row], mass ? mass[row] : uniform_mass, {0, 0, 0}};
      if (vx) {
        m.v[0] = vx[row];
        m.v[1] = vy[row];
        m.v[2] = vz[row];
      }
      members[i] = m;
    }
  }
};

struct TakePositions {
  const Member* members;
  const std::uint64_t* which;
  std::array<std::uint32_t, 3>* position;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Member& m = members[which[k]];
    position[k] = {m.x, m.y, m.z};
  }
};

// Wrapping differences of lattice coordinates: the nearest image, in steps.
struct Offset {
  double x, y, z;
};
HALOSCOPE_HD inline Offset offset_from(const Member& m, std::uint32_t x, std::uint32_t y,
                                       std::uint32_t z) {
  return {double(std::int32_t(m.x - x)), double(std::int32_t(m.y - y)),
          double(std::int32_t(m.z - z))};
}
HALOSCOPE_HD inline double length(const Offset& d) {
  return sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

// How far the members of a slice lie from the first of their halo along each axis, in steps.
struct Extent {
  std::int32_t low[3], high[3];
};
struct FindExtents {
  const Member* members;
  const std::uint64_t* begin;  // of halos
  const Slice* slices;         // of halos
  Extent* extents;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const Member& first = members[begin[slices[s].run]];
    Extent e{};
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const Member& m = members[i];
      const std::int32_t d[3] = {std::int32_t(m.x - first.x), std::int32_t(m.y - first.y),
                                 std::int32_t(m.z - first.z)};
      for (int a = 0; a < 3; ++a) {
        e.low[a] = d[a] < e.low[a] ? d[a] : e.low[a];
        e.high[a] = d[a] > e.high[a] ? d[a] : e.high[a];
      }
    }
    extents[s] = e;
  }
};

// Mass, and mass-weighted position from the first member of the halo and velocity.
struct FirstMoments {
  static constexpr int kTerms = 7;
  const Member* members;
  const std::uint64_t* begin;  // of runs
  std::uint32_t types;
  HALOSCOPE_HD void operator()(std::uint64_t i, std::uint32_t run, Sums<kTerms>& sum) const {
    const Member& m = members[i];
    const Member& first = members[begin[run / types * types]];
    const Offset d = offset_from(m, first.x, first.y, first.z);
    const double mass = double(m.mass);
    sum.value[0] += mass;
    sum.value[1] += mass * d.x;
    sum.value[2] += mass * d.y;
    sum.value[3] += mass * d.z;
    for (int k = 0; k < 3; ++k) sum.value[4 + k] += mass * double(m.v[k]);
  }
};

// What the second moments of a halo are taken about.
struct MomentCenter {
  std::uint32_t first[3];    // member; the lattice's origin here
  double center_of_mass[3];  // from it, steps
  std::uint32_t center[3];   // most bound member
  double reach_squared;      // of the sphere of 200 critical densities, steps²
  double velocity[3];
};

// Σ m w², the six of Σ m x_i x_j about the center of mass, and of the members within the sphere
// Σ m, Σ m r, Σ m w, Σ m r × w about its center, w from the halo's mean velocity.
struct SecondMoments {
  static constexpr int kSphere = 7, kTerms = kSphere + 10;
  const Member* members;
  const MomentCenter* centers;  // by halo
  std::uint32_t types;
  HALOSCOPE_HD void operator()(std::uint64_t i, std::uint32_t run, Sums<kTerms>& sum) const {
    const Member& m = members[i];
    const MomentCenter& c = centers[run / types];
    const double mass = double(m.mass);
    double w[3];
    for (int k = 0; k < 3; ++k) w[k] = double(m.v[k]) - c.velocity[k];
    double* const out = sum.value;
    out[0] += mass * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    Offset d = offset_from(m, c.first[0], c.first[1], c.first[2]);
    d = {d.x - c.center_of_mass[0], d.y - c.center_of_mass[1], d.z - c.center_of_mass[2]};
    out[1] += mass * d.x * d.x;
    out[2] += mass * d.y * d.y;
    out[3] += mass * d.z * d.z;
    out[4] += mass * d.x * d.y;
    out[5] += mass * d.y * d.z;
    out[6] += mass * d.z * d.x;
    const Offset r = offset_from(m, c.center[0], c.center[1], c.center[2]);
    if (r.x * r.x + r.y * r.y + r.z * r.z > c.reach_squared) return;
    double* const in = out + kSphere;
    in[0] += mass;
    in[1] += mass * r.x;
    in[2] += mass * r.y;
    in[3] += mass * r.z;
    for (int k = 0; k < 3; ++k) in[4 + k] += mass * w[k];
    in[7] += mass * (r.y * w[2] - r.z * w[1]);
    in[8] += mass * (r.z * w[0] - r.x * w[2]);
    in[9] += mass * (r.x * w[1] - r.y * w[0]);
  }
};

struct PackMembers {
  const Member* members;
  const Slice* slices;  // of halos
  const MomentCenter* centers;
  double step;
  std::uint64_t* packed;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const MomentCenter& c = centers[slices[s].run];
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const Offset d = offset_from(members[i], c.center[0], c.center[1], c.center[2]);
      packed[i] = pack_distance(length(d) * step, members[i].mass);
    }
  }
};

}  // namespace haloscope::compute::halos
