#pragma once

#include "compute/halos/properties/properties.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace haloscope::test {

using Vector = std::array<double, 3>;

// Particles of one type in a periodic box of side 1, and halos that are runs of them.
struct MadeHalos {
  std::array<std::vector<std::uint32_t>, 3> position;
  std::array<std::vector<float>, 3> velocity;
  std::vector<float> mass;
  compute::halos::HaloMembership members{{}, {0}};

  std::size_t size() const { return mass.size(); }
  void add(const Vector& x, double m = 1, const Vector& v = {}) {
    for (std::size_t a = 0; a < 3; ++a) {
      position[a].push_back(domain().to_fixed(x[a], int(a)));
      velocity[a].push_back(float(v[a]));
    }
    mass.push_back(float(m));
  }
  void add_copy(const MadeHalos& other, std::size_t i) {
    for (std::size_t a = 0; a < 3; ++a) {
      position[a].push_back(other.position[a][i]);
      velocity[a].push_back(other.velocity[a][i]);
    }
    mass.push_back(other.mass[i]);
  }
  // All particles since the last one are a halo.
  void end_halo() {
    for (std::size_t i = members.rows.size(); i < size(); ++i)
      members.rows.push_back(std::uint32_t(i));
    members.begin.push_back(size());
  }
  static Domain domain() {
    Domain d;
    d.periodic = true;
    return d;
  }
  compute::halos::HaloParticles particles() const {
    compute::halos::HaloParticles p;
    p.domain = domain();
    compute::halos::HaloParticles::Type t;
    t.type = 1;
    t.count = size();
    for (std::size_t a = 0; a < 3; ++a) {
      t.position[a] = position[a].data();
      t.velocity[a] = velocity[a].data();
    }
    t.mass = mass.data();
    p.types.push_back(t);
    return p;
  }
  // Nearest image of particle i from particle j.
  std::array<long double, 3> apart(std::size_t i, std::size_t j) const {
    std::array<long double, 3> d;
    for (std::size_t a = 0; a < 3; ++a)
      d[a] =
          static_cast<long double>(std::int32_t(position[a][i] - position[a][j])) / 4294967296.0L;
    return d;
  }
  long double distance(std::size_t i, std::size_t j) const {
    const auto d = apart(i, j);
    return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  }
};

// G = 1 and a critical density of `density`, with half of it in matter.
inline compute::halos::HaloPhysics make_test_physics(double density) {
  compute::halos::HaloPhysics p;
  p.gravity = 1;
  p.hubble0 = p.hubble_now = std::sqrt(density * 8 * std::acos(-1.0) / 3);
  p.omega_matter = 0.5;
  p.omega_lambda = 0.5;
  return p;
}

inline Vector on_sphere(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Vector v{normal(random), normal(random), normal(random)};
  const double r = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return {v[0] / r, v[1] / r, v[2] / r};
}

// Hernquist 1990 with scale radius 0.01, cut at ten of them.
inline void add_hernquist(MadeHalos& made, std::size_t n, const Vector& center,
                          std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(uniform(random) * 100.0 / 121);  // M(<r) = (r / (r + a))²
    const double r = 0.01 * root / (1 - root);
    const Vector u = on_sphere(random);
    made.add({center[0] + r * u[0], center[1] + r * u[1], center[2] + r * u[2]},
             1 + 3 * uniform(random), {uniform(random), uniform(random), uniform(random)});
  }
}

}  // namespace haloscope::test
