#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

// Bodies that benchmarks make up, on the lattice of a domain.
namespace haloscope::benchmarks {

using Axes = std::array<std::vector<std::uint32_t>, 3>;

// A Plummer sphere cut at ten scale radii, as big as the middle half of the domain.
inline Axes plummer(std::size_t n) {
  Axes p;
  for (auto& axis : p) axis.resize(n);
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    double r = 0;
    do r = 1 / std::sqrt(std::pow(uniform(random), -2.0 / 3) - 1);
    while (!(r < 10));
    const double z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random);
    const double across = std::sqrt(1 - z * z);
    const double at[3] = {r * across * std::cos(phi), r * across * std::sin(phi), r * z};
    for (std::size_t a = 0; a < 3; ++a) p[a][i] = std::uint32_t((0.5 + at[a] / 40) * 4294967296.0);
  }
  return p;
}

}  // namespace haloscope::benchmarks
