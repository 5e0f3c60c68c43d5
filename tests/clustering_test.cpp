// Friends-of-friends and DBSCAN against a search that looks at every pair.

#include "compute/halos/clustering.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <cmath>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::halos;

namespace {

using Points = std::array<std::vector<std::uint32_t>, 3>;

bool near(const Points& p, std::size_t i, std::size_t j, double reach) {
  // A long double holds 64 bits: squares of 32-bit differences and their sum are exact.
  long double squared = 0;
  for (const auto& axis : p) {
    const long double d = std::int32_t(axis[i] - axis[j]);
    squared += d * d;
  }
  return squared <= static_cast<long double>(reach) * reach;
}

// By the definition of Ester et al. 1996: clusters grow from core points through core points.
std::vector<std::uint32_t> labels_by_definition(const Points& p, double reach, int min_points) {
  const std::size_t n = p[0].size();
  std::vector<bool> core(n);
  for (std::size_t i = 0; i < n; ++i) {
    int count = 0;
    for (std::size_t j = 0; j < n; ++j) count += near(p, i, j, reach);
    core[i] = count >= min_points;
  }
  std::vector<std::uint32_t> labels(n, kNoise);
  for (std::size_t i = 0; i < n; ++i) {
    if (!core[i] || labels[i] != kNoise) continue;
    std::vector<std::size_t> growing{i};
    labels[i] = std::uint32_t(i);
    while (!growing.empty()) {
      const std::size_t k = growing.back();
      growing.pop_back();
      for (std::size_t j = 0; j < n; ++j)
        if (core[j] && labels[j] == kNoise && near(p, k, j, reach)) {
          labels[j] = std::uint32_t(i);
          growing.push_back(j);
        }
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n && !core[i]; ++j)
      if (core[j] && near(p, i, j, reach)) {
        labels[i] = labels[j];
        break;
      }
  return labels;
}

enum class Kind { Uniform, Clustered, Lattice, OnePoint, Edges, Duplicates };

Points make_points(Kind kind, std::size_t n, std::mt19937_64& random) {
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

std::unique_ptr<Clustering> make_clustering(const std::string& device) {
  return device == "cuda" ? make_cuda_clustering() : make_cpu_clustering();
}

std::vector<std::uint32_t> find(Clustering& clustering, const Points& p,
                                const ClusterSettings& settings) {
  clustering.set_points(test::periodic_domain(1), {p[0].data(), p[1].data(), p[2].data()},
                        p[0].size());
  Timings timings;
  clustering.run(settings, timings);
  return clustering.labels();
}

}  // namespace

TEST_CASE("clusters are those of the definition, whatever the points and the length",
          "[halos][gpu]") {
  std::mt19937_64 random(5);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    for (int set = 0; set < 240; ++set) {
      const Kind kind = Kind(set % 6);
      const Points p = make_points(kind, 1 + random() % 250, random);
      // From a few lattice steps of the finest grid to more than the box; on the lattice exactly
      // its spacing, or its diagonal.
      double length = std::pow(10.0, -3 + 3.2 * double(random() % 1000) / 1000);
      if (kind == Kind::Lattice) length = set % 4 < 2 ? 1 / 16.0 : std::sqrt(2.0) / 16;
      for (const int min_points : {2, 3, 5, 10, 50}) {
        INFO(device << ", set " << set << ", length " << length << ", minPts " << min_points);
        REQUIRE(find(*clustering, p, {length, min_points}) ==
                labels_by_definition(p, length * 4294967296.0, min_points));
      }
    }
  }
}

TEST_CASE("linking lengths far below the box need no table of rows", "[halos][gpu]") {
  std::mt19937_64 random(8);
  const Points p = make_points(Kind::Duplicates, 300, random);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    for (const double length : {3e-5, 1e-4})
      CHECK(find(*clustering, p, {length, 2}) == labels_by_definition(p, length * 4294967296.0, 2));
  }
}

TEST_CASE("clustering refuses what has no meaning", "[halos]") {
  const auto clustering = make_cpu_clustering();
  CHECK(find(*clustering, {}, {0.1, 2}).empty());
  const Points p{{{1, 2}, {1, 2}, {1, 2}}};
  CHECK_THROWS_AS(find(*clustering, p, {0, 2}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {std::nan(""), 2}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {0.1, 1}), Error);
  const std::vector<std::uint32_t> many(300000);
  CHECK_THROWS_AS(find(*clustering, {many, many, many}, {0.5, 2}), Error);
  CHECK_THROWS_AS(find(*clustering, {many, many, many}, {1e-6, 2}), Error);
}
