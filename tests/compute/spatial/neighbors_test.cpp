// Nearest neighbors against a search of every point, on each executor.

#include "compute/spatial/neighbors.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/placed_points.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

std::array<const std::uint32_t*, 3> axes(const Points& p) {
  return {p[0].data(), p[1].data(), p[2].data()};
}

std::unique_ptr<Neighbors> neighbors_of(Device device, const Points& p) {
  auto neighbors = make_neighbors(device);
  neighbors->set_points(axes(p), p[0].size());
  return neighbors;
}

std::unique_ptr<Neighbors> neighbors_of_placed(Device device, const Points& p, std::size_t sets) {
  auto neighbors = make_neighbors(device);
  neighbors->set_points(test::placed(device, test::periodic_domain(1), p, sets));
  return neighbors;
}

Points some_points(int set, std::size_t most, std::mt19937_64& random) {
  const Points p = test::make_points(Kind(set % test::kKinds), 1 + random() % most, random);
  return set % 4 < 2 ? p : test::in_middle_half(p);
}

std::vector<float> kth_of_all(const Points& p, std::size_t k) {
  std::vector<float> kth;
  for (std::size_t i = 0; i < p[0].size(); ++i) {
    std::vector<std::uint64_t> squared;
    for (std::size_t j = 0; j < p[0].size(); ++j)
      if (j != i) squared.push_back(std::uint64_t(test::exact_squared_distance(p, i, j)));
    std::sort(squared.begin(), squared.end());
    kth.push_back(squared.size() < k ? INFINITY : float(squared[k - 1]));
  }
  return kth;
}

}  // namespace

namespace {

// Both ends of each of the lists that there are.
constexpr int kLists[] = {1, 5, 8, 9, 16, 17, 32, 33, 100, 128};

void check_kth(int sets) {
  std::mt19937_64 random(11);
  for (const auto& device : test::devices())
    for (int set = 0; set < sets; ++set) {
      const Points p = some_points(set, 300, random);
      const auto neighbors = neighbors_of(device, p);
      const auto placed = neighbors_of_placed(device, p, 1 + std::size_t(set) % 3);
      for (const int k : kLists) {
        INFO(device << ", set " << set << ", " << p[0].size() << " points, k " << k);
        const auto expected = kth_of_all(p, std::size_t(k));
        REQUIRE(neighbors->kth_squared_distance(k) == expected);
        REQUIRE(placed->kth_squared_distance(k) == expected);
      }
    }
}

}  // namespace

TEST_CASE("the distance to the k-th nearest is exact, whatever the points", "[neighbors][gpu]") {
  check_kth(test::sized(48, 12));  // of each kind some
}

// For tools that slow a GPU down.
TEST_CASE("the distance to the k-th nearest is exact in a few sets", "[few][gpu]") {
  check_kth(test::kKinds);
}

TEST_CASE("distances do not depend on the parts in which they are searched", "[neighbors][gpu]") {
  std::mt19937_64 random(14);
  const Points p = test::make_points(Kind::Clustered, 1000, random);
  Progress progress;
  for (const auto& device : test::devices()) {
    const auto neighbors = neighbors_of(device, p);
    for (const int k : {5, 32, 100}) {
      const auto squared = kth_of_all(p, std::size_t(k));
      for (const std::uint32_t part : {1u, 31u, 96u, 500u, 1000u, 5000u}) {
        INFO(device << ", k " << k << ", part " << part);
        const auto found = neighbors->kth_distance(k, 0.5, progress, part);
        bool same = true;
        for (std::size_t i = 0; i < squared.size(); ++i)
          same = same && found[i] == float(std::sqrt(double(squared[i])) * 0.5);
        CHECK(same);
      }
    }
  }
}

TEST_CASE("the k-th nearest of many points are the same on both executors", "[neighbors][gpu]") {
  if (test::devices().size() < 2) return;
  std::mt19937_64 random(13);
  for (const Kind kind : {Kind::Clustered, Kind::Uniform, Kind::Duplicates}) {
    const Points p = test::make_points(kind, 20000, random);
    const auto cpu = neighbors_of(Device::cpu(), p), cuda = neighbors_of(Device::cuda(), p);
    for (const int k : kLists) {
      INFO("kind " << int(kind) << ", k " << k);
      CHECK(cpu->kth_squared_distance(k) == cuda->kth_squared_distance(k));
    }
  }
}

TEST_CASE("the nearest point is the one with the smallest index of the nearest",
          "[neighbors][few][gpu]") {
  std::mt19937_64 random(12);
  for (const auto& device : test::devices())
    for (int set = 0; set < 96; ++set) {
      const Points p = some_points(set, 200, random);
      // Half of the places are points themselves, the others anywhere.
      Points places = some_points(set, 100, random);
      for (std::size_t i = 0; i < places[0].size(); i += 2)
        for (std::size_t a = 0; a < 3; ++a) places[a][i] = p[a][random() % p[a].size()];
      const auto neighbors = set % 2 ? neighbors_of_placed(device, p, 1 + std::size_t(set) % 3)
                                     : neighbors_of(device, p);
      for (const std::uint64_t most :
           {~std::uint64_t(0), std::uint64_t(1) << 58, std::uint64_t(0)}) {
        const auto found = neighbors->nearest(axes(places), places[0].size(), most);
        for (std::size_t i = 0; i < places[0].size(); ++i) {
          Points both = p;
          for (std::size_t a = 0; a < 3; ++a) both[a].push_back(places[a][i]);
          Nearest expected{kNobodyNear, most};
          for (std::size_t j = 0; j < p[0].size(); ++j) {
            const auto squared = std::uint64_t(test::exact_squared_distance(both, p[0].size(), j));
            if (squared < expected.squared ||
                (squared == expected.squared && expected.index == kNobodyNear))
              expected = {std::uint32_t(j), squared};
          }
          INFO(device << ", set " << set << ", place " << i << ", limit " << most);
          REQUIRE(found[i].index == expected.index);
          REQUIRE(found[i].squared == expected.squared);
        }
      }
    }
}

TEST_CASE("among no points nobody is near, and only so many neighbors can be asked for",
          "[neighbors][gpu]") {
  const Points place{{{1}, {2}, {3}}};
  for (const auto& device : test::devices()) {
    const auto neighbors = neighbors_of(device, {});
    CHECK(neighbors->nearest(axes(place), 1, 100)[0].index == kNobodyNear);
    CHECK(neighbors->nearest(axes(place), 0, 100).empty());
    CHECK(neighbors->kth_squared_distance(8).empty());
    CHECK_THROWS_AS(neighbors->kth_squared_distance(0), Error);
    CHECK_THROWS_AS(neighbors->kth_squared_distance(129), Error);
  }
}
