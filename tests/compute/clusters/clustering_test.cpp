// Friends-of-friends and DBSCAN against a search that looks at every pair.

#include "compute/clusters/clustering.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/placed_points.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <cmath>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using test::Kind;
using test::make_points;
using test::Points;

namespace {

bool near(const Points& p, std::size_t i, std::size_t j, double reach) {
  return test::exact_squared_distance(p, i, j) <= static_cast<long double>(reach) * reach;
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

std::vector<std::uint32_t> find(Clustering& clustering, const Points& p,
                                const ClusterSettings& settings) {
  clustering.set_points(test::periodic_domain(1), {p[0].data(), p[1].data(), p[2].data()},
                        p[0].size());
  Timings timings;
  clustering.run(settings, timings);
  return clustering.labels();
}

// The same of points that are on the device already.
std::vector<std::uint32_t> find_placed(Clustering& clustering, haloscope::compute::Device device,
                                       const Points& p, std::size_t sets,
                                       const ClusterSettings& settings) {
  clustering.set_points(test::placed(device, test::periodic_domain(1), p, sets));
  Timings timings;
  clustering.run(settings, timings);
  // A second run takes the same points.
  clustering.run(settings, timings);
  return clustering.labels();
}

constexpr double kLattice = 4294967296.0;
// What every length works with; a grid is among them where Auto finds it possible.
constexpr Algorithm kAlways[] = {Algorithm::Auto, Algorithm::FdbScan, Algorithm::DenseBox};

}  // namespace

namespace {

void check_definition(int sets) {
  std::mt19937_64 random(5);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    for (int set = 0; set < sets; ++set) {
      const Kind kind = Kind(set % test::kKinds);
      Points p = make_points(kind, 1 + random() % 250, random);
      if (set % 5 == 4 && kind != Kind::Lattice) p = test::in_middle_half(std::move(p));
      // From a few lattice steps of the finest grid to more than the box; on the lattice exactly
      // its spacing, or its diagonal.
      double length = std::pow(10.0, -3 + 3.2 * double(random() % 1000) / 1000);
      if (kind == Kind::Lattice) length = set % 4 < 2 ? 1 / 16.0 : std::sqrt(2.0) / 16;
      for (const int min_points : {2, 3, 5, 10, 50}) {
        const auto expected = labels_by_definition(p, length * kLattice, min_points);
        for (const Algorithm algorithm : kAlways) {
          INFO(device << ", set " << set << ", length " << length << ", minPts " << min_points
                      << ", algorithm " << int(algorithm));
          REQUIRE(find(*clustering, p, {length, min_points, algorithm}) == expected);
          if (min_points < 5)
            REQUIRE(find_placed(*clustering, device, p, 1 + std::size_t(set) % 3,
                                {length, min_points, algorithm}) == expected);
        }
        if (length < 0.2)
          REQUIRE(find(*clustering, p, {length, min_points, Algorithm::Grid}) == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("clusters are those of the definition, whatever the points, the length and the algorithm",
          "[halos][gpu]") {
  check_definition(test::sized(240, 40));  // each kind in both halves, at several lengths
}

// For tools that slow a GPU down.
TEST_CASE("clusters are those of the definition in a few sets", "[few][gpu]") {
  check_definition(test::kKinds);
}

TEST_CASE("points may be clustered again after any search", "[halos][few][gpu]") {
  std::mt19937_64 random(12);
  const Points p = make_points(Kind::Clustered, 3000, random);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    const auto expected = find(*clustering, p, {0.01, 2});
    for (const Algorithm algorithm :
         {Algorithm::Grid, Algorithm::DenseBox, Algorithm::FdbScan, Algorithm::Grid}) {
      INFO(device << ", algorithm " << int(algorithm));
      Timings timings;
      clustering->run({0.01, 2, algorithm}, timings);
      CHECK(clustering->labels() == expected);
    }
  }
}

TEST_CASE("linking lengths may be far below the box", "[halos][gpu]") {
  std::mt19937_64 random(8);
  const Points p = make_points(Kind::Duplicates, 300, random);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    // No table of rows, no grid, no cells that Morton codes tell apart, less than a lattice step.
    for (const double length : {1e-4, 3e-5, 1e-6, 5e-7, 1e-9, 1e-11})
      for (const Algorithm algorithm : kAlways)
        CHECK(find(*clustering, p, {length, 2, algorithm}) ==
              labels_by_definition(p, length * kLattice, 2));
  }
}

TEST_CASE("cells too small for a Morton code are not taken for one another", "[halos][gpu]") {
  // Of 3467331 cells per side a code keeps 21 bits: points 2²¹ of these apart would share theirs.
  constexpr double kLength = 5e-7, kApart = 2097152 / 3467331.0;
  Points p;
  for (const double x : {0.0, kApart - 1e-7, kApart, kApart + 1e-7}) {
    p[0].push_back(std::uint32_t(x * kLattice) + 600);
    p[1].push_back(600);
    p[2].push_back(600);
  }
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    CHECK(find(*clustering, p, {kLength, 2, Algorithm::DenseBox}) ==
          std::vector<std::uint32_t>{kNoise, 1, 1, 1});
  }
}

TEST_CASE("halos of many points in many cells are the same by every algorithm", "[halos][gpu]") {
  std::mt19937_64 random(9);
  const Points p = make_points(Kind::Clustered, test::sized<std::size_t>(20000, 5000), random);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    for (const double length : {0.0005, 0.003, 0.01})
      for (const int min_points : {2, 5, 50}) {
        INFO(device << ", length " << length << ", minPts " << min_points);
        const auto expected = find(*clustering, p, {length, min_points, Algorithm::Grid});
        for (const Algorithm algorithm : kAlways)
          CHECK(find(*clustering, p, {length, min_points, algorithm}) == expected);
      }
  }
}

TEST_CASE("very many points may have any linking length", "[halos][gpu]") {
  std::mt19937_64 random(10);
  const Points p = make_points(Kind::Uniform, 300000, random);
  for (const auto& device : test::devices()) {
    const auto clustering = make_clustering(device);
    const std::vector<std::uint32_t> one_halo(300000, 0), none(300000, kNoise);
    CHECK(find(*clustering, p, {0.5, 2}) == one_halo);
    CHECK(find(*clustering, p, {2, 50}) == one_halo);
    CHECK(find(*clustering, p, {1e-9, 2}) == none);
  }
}

TEST_CASE("clustering refuses what has no meaning", "[halos]") {
  const auto clustering = make_cpu_clustering();
  CHECK(find(*clustering, {}, {0.1, 2}).empty());
  const Points p{{{1, 2}, {1, 2}, {1, 2}}};
  CHECK_THROWS_AS(find(*clustering, p, {0, 2}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {std::nan(""), 2}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {0.1, 1}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {0.5, 2, Algorithm::Grid}), Error);
  CHECK_THROWS_AS(find(*clustering, p, {1e-6, 2, Algorithm::Grid}), Error);
}
