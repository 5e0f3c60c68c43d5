#pragma once

#include "compute/gravity/softening.h"
#include "core/domain.h"
#include "tests/made/fixed_points.h"

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

// Potentials by sums over all pairs in double, G = 1. Shares with compute/gravity the spline alone.
namespace haloscope::test {

struct HeavyPoints {
  const Points& p;
  const std::vector<float>& mass;
  Domain domain;
  double support;  // of the spline

  double weight(std::size_t i) const {
    const float m = mass[i];
    return m >= 0 && std::isfinite(m) ? double(m) : 0;
  }
};

// Of all others at body i; apart(p, q): how far two coordinates are from each other, in steps.
template <class Apart>
double slow_sum(const HeavyPoints& b, std::size_t i, const Apart& apart) {
  double sum = 0;
  for (std::size_t j = 0; j < b.mass.size(); ++j) {
    if (j == i) continue;
    double r2 = 0;
    for (const auto& axis : b.p) r2 += std::pow(apart(axis[i], axis[j]) * b.domain.step(), 2);
    sum += b.weight(j) * compute::gravity::softened_potential(r2, b.support);
  }
  return sum;
}

// Bodies that stand alone.
inline double slow_potential(const HeavyPoints& b, std::size_t i) {
  return slow_sum(b, i, [](std::uint32_t p, std::uint32_t q) { return double(p) - double(q); });
}

// The nearest image of each body.
inline double slow_nearest_potential(const HeavyPoints& b, std::size_t i) {
  return slow_sum(b, i,
                  [](std::uint32_t p, std::uint32_t q) { return double(std::int32_t(p - q)); });
}

// Bodies with all their images, without the mean density: Ewald (1921) with the waves' sums over
// bodies taken once (structure factors), and a share of the waves of its own.
class SlowEwald {
 public:
  explicit SlowEwald(const HeavyPoints& bodies) : b_(bodies) {
    for (std::size_t j = 0; j < b_.mass.size(); ++j) all_ += b_.weight(j);
    for (int x = -kMost; x <= kMost; ++x)
      for (int y = -kMost; y <= kMost; ++y)
        for (int z = -kMost; z <= kMost; ++z) {
          const int squared = x * x + y * y + z * z;
          if (squared == 0 || squared > kMost * kMost) continue;
          Wave wave{{x, y, z}, {}};
          for (std::size_t j = 0; j < b_.mass.size(); ++j) wave.sum += b_.weight(j) * turn(wave, j);
          const double k2 = std::pow(2 * std::numbers::pi, 2) * squared;
          wave.sum *= 4 * std::numbers::pi / k2 * std::exp(-k2 / (4 * kShare * kShare));
          waves_.push_back(wave);
        }
  }

  double potential(std::size_t i) const {
    // Lengths are sides of the box until the end.
    double sum = std::numbers::pi / (kShare * kShare) * all_ +
                 b_.weight(i) * 2 * kShare / std::sqrt(std::numbers::pi);
    for (const Wave& wave : waves_) sum -= (wave.sum * std::conj(turn(wave, i))).real();
    for (std::size_t j = 0; j < b_.mass.size(); ++j) sum += b_.weight(j) * near(i, j);
    return sum / b_.domain.side;
  }

 private:
  static constexpr double kShare = 4;
  static constexpr int kMost = 6;
  struct Wave {
    int k[3];
    std::complex<double> sum;
  };

  std::complex<double> turn(const Wave& wave, std::size_t i) const {
    double phase = 0;
    for (std::size_t a = 0; a < 3; ++a) phase += wave.k[a] * (double(b_.p[a][i]) / 4294967296.0);
    return std::polar(1.0, -2 * std::numbers::pi * phase);
  }
  double near(std::size_t i, std::size_t j) const {
    double d[3], sum = 0;
    for (std::size_t a = 0; a < 3; ++a)
      d[a] = double(std::int32_t(b_.p[a][i] - b_.p[a][j])) / 4294967296.0;
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const bool itself = x == 0 && y == 0 && z == 0;
          if (itself && i == j) continue;
          const double r2 = std::pow(d[0] + x, 2) + std::pow(d[1] + y, 2) + std::pow(d[2] + z, 2);
          if (r2 > 1.6) continue;
          const double r = std::sqrt(r2), h = b_.support / b_.domain.side;
          if (!itself) {
            sum -= std::erfc(kShare * r) / r;
          } else {
            const double far =
                r > 0 ? std::erf(kShare * r) / r : 2 * kShare / std::sqrt(std::numbers::pi);
            sum += compute::gravity::softened_potential(r2, h) + far;
          }
        }
    return sum;
  }

  HeavyPoints b_;
  double all_ = 0;
  std::vector<Wave> waves_;
};

}  // namespace haloscope::test
