#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

// Sets of points in fixed point that have every awkwardness a search can meet.
namespace haloscope::test {

using Points = std::array<std::vector<std::uint32_t>, 3>;

// Of a long double's 64 bits squares of 32-bit differences and their sum take all: exact.
inline long double exact_squared_distance(const Points& p, std::size_t i, std::size_t j) {
  long double squared = 0;
  for (const auto& axis : p) {
    const long double d = std::int32_t(axis[i] - axis[j]);
    squared += d * d;
  }
  return squared;
}

enum class Kind { Uniform, Clustered, Lattice, OnePoint, Edges, Duplicates };
inline constexpr int kKinds = 6;

inline Points make_points(Kind kind, std::size_t n, std::mt19937_64& random) {
  Points p;
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i)
    for (auto& axis : p) {
      auto x = std::uint32_t(random());
      if (kind == Kind::Clustered && i % 8)  // around the corner of the periodic box
        x = std::uint32_t(std::int64_t(5e7 * normal(random)));
      if (kind == Kind::Lattice) x = std::uint32_t(random() % 16) << 28;
      if (kind == Kind::OnePoint) x = 12345;
      if (kind == Kind::Edges) x = random() % 2 ? 0u : ~0u - std::uint32_t(random() % 3);
      if (kind == Kind::Duplicates && i > 0 && random() % 2) x = axis[random() % i];
      axis.push_back(x);
    }
  return p;
}

// The same in a domain that is not periodic: all points in its middle half.
inline Points in_middle_half(Points p) {
  for (auto& axis : p)
    for (auto& x : axis) x = (x >> 1) + (1u << 30);
  return p;
}

}  // namespace haloscope::test

// For files without `using namespace haloscope`.
namespace test = haloscope::test;
