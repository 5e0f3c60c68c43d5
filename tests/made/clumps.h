#pragma once

#include "compute/clusters/clustering.h"
#include "core/domain.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

// Points in clumps, and their groups as one rank finds them.
namespace haloscope::test {

using Columns = std::array<std::vector<std::uint32_t>, 3>;

// Clumps, one of them around the corner of the box, and some points anywhere.
inline Columns made_points(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> anywhere;
  std::normal_distribution<double> near(0, 4e7);
  std::vector<std::array<std::uint32_t, 3>> centers{{0, 0, 0}};
  for (int c = 0; c < 12; ++c)
    centers.push_back({anywhere(random), anywhere(random), anywhere(random)});
  Columns columns;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& center = centers[i % centers.size()];
    for (std::size_t axis = 0; axis < 3; ++axis)
      columns[axis].push_back(
          i % 4 == 0 ? anywhere(random) : center[axis] + std::uint32_t(std::int64_t(near(random))));
  }
  return columns;
}

inline std::vector<std::uint32_t> of_one(const Domain& domain, const Columns& points,
                                         double length) {
  const auto clustering = compute::clusters::make_cpu_clustering();
  Timings timings;
  clustering->set_points(domain, {points[0].data(), points[1].data(), points[2].data()},
                         points[0].size());
  clustering->run({length, 2, compute::clusters::Algorithm::Auto}, timings);
  auto labels = clustering->labels();
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == compute::clusters::kNoise) labels[i] = std::uint32_t(i);
  return labels;
}

}  // namespace haloscope::test
