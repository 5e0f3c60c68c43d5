#pragma once

#include "analysis/measuring/bin_edges.h"
#include "core/domain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// Particles of one type around a center, as views of columns.
struct RadialPoints {
  std::uint64_t count = 0;
  std::array<const std::uint32_t*, 3> position{};
  std::array<const float*, 3> velocity{};  // peculiar, code velocities; null: not known
  const float* mass = nullptr;             // null: all uniform_mass
  double uniform_mass = 1;
  const float* temperature = nullptr;  // null: not known

  double mass_of(std::uint64_t row) const { return mass ? double(mass[row]) : uniform_mass; }
};

// Where particles are, seen from a center: the nearest image in a periodic box.
class RadialFrame {
 public:
  RadialFrame(const Domain& domain, const std::array<double, 3>& center);

  // Code lengths.
  std::array<double, 3> from_center(const RadialPoints& points, std::uint64_t row) const;

 private:
  Domain domain_;
  std::array<double, 3> center_{};        // in the box, where that is periodic
  std::array<std::uint32_t, 3> fixed_{};  // of a periodic box: the step at or below the center
  std::array<double, 3> beyond_fixed_{};  // what lies between
};

// Sums over the particles of one bin. Those of means have the mass as a weight.
struct RadialSums {
  std::uint64_t count = 0;
  double mass = 0, mass_squared = 0;
  std::uint64_t moving = 0;  // particles with a velocity
  double moving_mass = 0;
  std::array<double, 3> momentum{};
  double energy = 0;           // m v²
  double radial_momentum = 0;  // m v · r/|r|
  double heated_mass = 0;      // of particles with a temperature
  double heat = 0;             // m T
  RadialSums& operator+=(const RadialSums& other);
};

// Sums of all bins, and of the particles that are nearer than the first one.
struct RadialBins {
  RadialSums inside;
  std::vector<RadialSums> bins;
  std::uint64_t no_mass = 0;  // left out everywhere: the mass is not a finite number
  // Counted, but left out of means of velocities and of temperatures: these are not finite numbers.
  std::uint64_t no_velocity = 0, no_temperature = 0;
  RadialBins& operator+=(const RadialBins& other);
};

// Velocities are taken relative to `velocity`. The same for any number of threads.
RadialBins sum_radial_bins(const RadialPoints& points, const RadialFrame& frame,
                           const BinEdges& edges, const std::array<double, 3>& velocity);

// Mass and momentum of the particles within a radius: those with finite mass and velocity.
struct SphereMotion {
  std::uint64_t count = 0;
  double mass = 0;
  std::array<double, 3> momentum{};
  SphereMotion& operator+=(const SphereMotion& other);
};
SphereMotion sum_motion(const RadialPoints& points, const RadialFrame& frame, double radius);

}  // namespace haloscope::analysis
