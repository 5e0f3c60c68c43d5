// The order in which particles around halos are kept: sums over spheres rest on it.

#include "compute/clusters/fill_grid_cpu.h"
#include "compute/halos/properties/properties.h"
#include "compute/halos/properties/sort_profiles_cpu.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute;
using namespace haloscope::compute::clusters;
using namespace haloscope::compute::halos;

TEST_CASE("profiles are sorted whatever their distances", "[halos]") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::uint64_t> packed;
  std::vector<std::uint64_t> begin{0};
  const auto end_run = [&] { begin.push_back(packed.size()); };
  for (const std::size_t n : {0u, 1u, 32u, 33u, 1000u, 200000u}) {
    for (std::size_t i = 0; i < n; ++i) packed.push_back(pack_distance(uniform(random), 1));
    end_run();
    // Nearly all in one shell, some at the same place with other masses.
    for (std::size_t i = 0; i < n; ++i)
      packed.push_back(pack_distance(i == 3 ? 1e20 : 1e-9 * std::floor(9 * uniform(random)),
                                     float(uniform(random))));
    end_run();
    for (std::size_t i = 0; i < n; ++i) packed.push_back(pack_distance(0, float(i % 3)));
    end_run();
    for (std::size_t i = 0; i < n; ++i)
      packed.push_back(pack_distance(i % 7 == 0 ? INFINITY : uniform(random), 1));
    end_run();
  }
  std::vector<std::uint64_t> expected = packed;
  for (std::size_t r = 0; r + 1 < begin.size(); ++r)
    std::sort(expected.begin() + std::ptrdiff_t(begin[r]),
              expected.begin() + std::ptrdiff_t(begin[r + 1]));
  Cpu exec;
  auto sorted = upload(exec, packed, "test");
  sort_profiles(exec, "test", sorted, begin);
  CHECK(download(exec, sorted) == expected);
}

TEST_CASE("a grid holds each particle once, in its cell, in the order of the file", "[halos]") {
  std::mt19937 random(2);
  std::vector<std::vector<std::uint32_t>> x;
  std::vector<float> mass;
  std::vector<HaloParticles::Type> types;
  for (const std::size_t n : {100000u, 0u, 70001u}) {
    for (int a = 0; a < 3; ++a) {
      x.emplace_back(n);
      // Most in a corner: planes of all sizes.
      for (auto& v : x.back()) v = random() >> (random() % 3 * 4);
    }
    HaloParticles::Type t;
    t.count = n;
    t.uniform_mass = 1 + double(types.size());
    types.push_back(t);
  }
  for (std::size_t i = 0; i < types[2].count; ++i) mass.push_back(float(i));
  types[2].mass = mass.data();
  for (std::size_t t = 0; t < types.size(); ++t)
    for (std::size_t a = 0; a < 3; ++a) types[t].position[a] = x[3 * t + a].data();
  Cpu exec;
  const ParticleGrid<Cpu> grid(exec, types);
  const ParticleGridView view = grid.view();
  const std::size_t cells = std::size_t(view.side) * view.side * view.side;
  REQUIRE(view.start[0] == 0);
  REQUIRE(view.start[cells] == 170001);
  std::vector<std::uint64_t> next(view.start, view.start + cells);
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (std::size_t i = 0; i < types[t].count; ++i) {
      const std::uint32_t p[3] = {x[3 * t][i], x[3 * t + 1][i], x[3 * t + 2][i]};
      const MassPoint& found = view.points[next[view.cell(p[0], p[1], p[2])]++];
      wrong += found.x != p[0] || found.y != p[1] || found.z != p[2] ||
               found.mass != (t == 2 ? mass[i] : float(1 + t));
    }
  CHECK(wrong == 0);
  for (std::size_t c = 0; c < cells; ++c) wrong += next[c] != view.start[c + 1];
  CHECK(wrong == 0);
}
