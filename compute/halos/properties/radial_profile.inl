#pragma once

#include "compute/exec/slices.inl"

#include <cstdint>
#include <cstring>
#include <vector>

namespace haloscope::compute::halos {

// Distance and mass of one particle, as a word that sorts by distance. Nothing else is kept, so
// that equal words are the same and the order of their making does not matter.
HALOSCOPE_HD inline std::uint64_t pack_distance(double distance, float mass) {
  const float r = float(distance);
  std::uint32_t r_bits, m_bits;  // of positive floats, which sort like integers
  std::memcpy(&r_bits, &r, sizeof r_bits);
  std::memcpy(&m_bits, &mass, sizeof m_bits);
  return std::uint64_t(r_bits) << 32 | m_bits;
}
HALOSCOPE_HD inline double distance_of(std::uint64_t packed) {
  const auto bits = std::uint32_t(packed >> 32);
  float r;
  std::memcpy(&r, &bits, sizeof r);
  return double(r);
}
HALOSCOPE_HD inline double mass_of(std::uint64_t packed) {
  const auto bits = std::uint32_t(packed);
  float m;
  std::memcpy(&m, &bits, sizeof m);
  return double(m);
}

struct PackedMass {
  const std::uint64_t* packed;
  HALOSCOPE_HD void operator()(std::uint64_t i, std::uint32_t, Sums<1>& sum) const {
    sum.value[0] += mass_of(packed[i]);
  }
};

struct StartSlices {
  const std::uint32_t* first;
  Sums<1>* sums;  // in: of each slice; out: of those before it in its run
  HALOSCOPE_HD void operator()(std::size_t run) const {
    double before = 0;
    for (std::uint32_t s = first[run]; s < first[run + 1]; ++s) {
      const double own = sums[s].value[0];
      sums[s].value[0] = before;
      before += own;
    }
  }
};

struct Accumulate {
  const Slice* slices;
  const Sums<1>* before;
  const std::uint64_t* packed;
  double* within;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    double sum = before[s].value[0];
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i)
      within[i] = sum += mass_of(packed[i]);
  }
};

// What a search in the profiles sees.
struct ProfileView {
  const std::uint64_t* packed;  // by distance in each run
  const double* within;         // mass up to and including each
  const std::uint64_t* begin;   // of the runs

  // How many of a run are no farther than `radius`.
  HALOSCOPE_HD std::uint64_t count_within(std::uint32_t run, double radius) const {
    std::uint64_t low = begin[run], high = begin[run + 1];
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (distance_of(packed[middle]) <= radius)
        low = middle + 1;
      else
        high = middle;
    }
    return low - begin[run];
  }
  HALOSCOPE_HD double mass_within(std::uint32_t run, double radius) const {
    const std::uint64_t n = count_within(run, radius);
    return n == 0 ? 0 : within[begin[run] + n - 1];
  }
};

// Mass within any radius, for many centers at once.
template <class Exec>
struct RadialProfiles {
  std::vector<std::uint64_t> begin_host;
  Buffer<std::uint64_t, Exec> begin, packed;
  Buffer<double, Exec> within;
  Slices<Exec> slices;

  // Takes distances packed in any order.
  RadialProfiles(Exec& exec, std::vector<std::uint64_t> run_begin,
                 Buffer<std::uint64_t, Exec> distances)
      : begin_host(std::move(run_begin)),
        begin(upload(exec, begin_host, "radial profiles")),
        packed(std::move(distances)),
        within(exec, packed.size(), "radial profiles"),
        slices(exec, begin_host) {
    sort_profiles(exec, "radial profiles", packed, begin_host);
    const std::size_t n = slices.slices.size();
    Buffer<Sums<1>, Exec> sums(exec, n, "radial profiles");
    parallel_for(
        exec, "radial profiles", n,
        SumSlice<1, PackedMass>{slices.slices.data(), PackedMass{packed.data()}, sums.data()});
    parallel_for(exec, "radial profiles", slices.runs,
                 StartSlices{slices.first.data(), sums.data()});
    parallel_for(exec, "radial profiles", n,
                 Accumulate{slices.slices.data(), sums.data(), packed.data(), within.data()});
  }

  ProfileView view() const { return {packed.data(), within.data(), begin.data()}; }
};

}  // namespace haloscope::compute::halos
