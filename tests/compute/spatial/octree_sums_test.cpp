// Sums of an octree's nodes against sums over their bodies, in long double.

#include "compute/spatial/octree.h"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/renderers.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

struct Bodies {
  Points p;
  std::vector<float> mass, light[3], radius;

  Bodies(Kind kind, std::size_t n, std::mt19937_64& random)
      : p(test::make_points(kind, n, random)) {
    const auto some = [&] { return float(double(random() % 100000) / 1000); };
    for (std::size_t i = 0; i < n; ++i) {
      mass.push_back(some());
      for (auto& channel : light) channel.push_back(some());
      radius.push_back(some());
    }
  }
  OctreeColumns columns() const {
    return {mass.data(), {light[0].data(), light[1].data(), light[2].data()}, radius.data()};
  }
};

double good(float m) {
  return m >= 0 && m <= std::numeric_limits<float>::max() ? double(m) : 0.;
}

// Of the bodies at the places first … end − 1.
void check_sums(const OctreeSums& sums, const OctreeCopy& tree, const Bodies& bodies,
                std::uint32_t first, std::uint32_t end) {
  using Real = long double;
  Real mass = 0, center[3] = {}, light[3] = {}, spread[6] = {}, weights = 0;
  float radius = 0;
  for (std::uint32_t k = first; k < end; ++k) mass += Real(good(bodies.mass[tree.order[k]]));
  for (std::uint32_t k = first; k < end; ++k) {
    const std::uint32_t i = tree.order[k];
    const Real w = mass > 0 ? Real(good(bodies.mass[i])) : 1;
    weights += w;
    for (std::size_t a = 0; a < 3; ++a) {
      center[a] += w * Real(bodies.p[a][i]);
      light[a] += Real(bodies.light[a][i]);
    }
    radius = std::max(radius, bodies.radius[i]);
  }
  for (auto& c : center) c /= weights;
  Real trace = 0;
  for (std::uint32_t k = first; k < end; ++k) {
    const std::uint32_t i = tree.order[k];
    const Real w = mass > 0 ? Real(good(bodies.mass[i])) : 1;
    int s = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b, ++s)
        spread[s] +=
            w * (Real(bodies.p[a][i]) - center[a]) * (Real(bodies.p[b][i]) - center[b]) / weights;
  }
  for (const int s : {0, 3, 5}) trace += spread[s];
  bool right = std::fabs(Real(sums.mass) - mass) <= 1e-12L * mass && sums.radius == radius;
  for (int a = 0; a < 3; ++a) {
    right = right && std::fabs(Real(sums.center[a]) - center[a]) <= 1e-4L;
    right = right && std::fabs(Real(sums.light[a]) - light[a]) <= 2e-6L * light[a];
  }
  for (int s = 0; s < 6; ++s)
    right = right && std::fabs(Real(sums.spread[s]) - spread[s]) <= 2e-6L * trace + 1e-3L;
  if (!right)
    FAIL_CHECK("bodies " << first << " to " << end << ": mass " << sums.mass << " for "
                         << double(mass) << ", center " << sums.center[0] << " for "
                         << double(center[0]) << ", spread " << sums.spread[0] << " for "
                         << double(spread[0]));
}

void check_tree(const OctreeCopy& tree, const Bodies& bodies) {
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    check_sums(tree.node_sums[n], tree, bodies, tree.node_begin[n],
               tree.node_begin[n] + tree.node_count[n]);
  for (std::size_t leaf = 0; leaf < tree.leaf_sums.size(); ++leaf)
    check_sums(tree.leaf_sums[leaf], tree, bodies, tree.leaf_begin[leaf],
               tree.leaf_begin[leaf + 1]);
}

}  // namespace

TEST_CASE("an octree's sums are those over its bodies, with the same bits everywhere",
          "[octree][few][gpu]") {
  std::mt19937_64 random(156);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::uint32_t leaf_size : {1u, 8u, 64u}) {
      const Bodies bodies(Kind(kind), 3000, random);
      std::vector<OctreeCopy> all;
      for (const Device device : test::devices()) {
        const auto builder = make_octree_builder(device);
        builder->set_points({bodies.p[0].data(), bodies.p[1].data(), bodies.p[2].data()}, 3000);
        builder->set_columns(bodies.columns());
        for (const OctreeBuild build : {OctreeBuild::Morton, OctreeBuild::LockFree}) {
          INFO(device << ", kind " << kind << ", leaves of " << leaf_size);
          OctreeOptions options;
          options.build = build;
          options.leaf_size = leaf_size;
          all.push_back(builder->build(options)->copy());
          check_tree(all.back(), bodies);
        }
      }
      for (const OctreeCopy& tree : all) {
        REQUIRE(tree.node_sums.size() == all[0].node_sums.size());
        if (tree.node_sums.empty()) continue;
        CHECK(std::memcmp(tree.node_sums.data(), all[0].node_sums.data(),
                          tree.node_sums.size() * sizeof(OctreeSums)) == 0);
      }
    }
}

TEST_CASE("masses of zero, very different ones and bad ones leave an octree's sums right",
          "[octree][few][gpu]") {
  std::mt19937_64 random(157);
  Bodies bodies(Kind::Clustered, 2000, random);
  for (std::size_t i = 0; i < 2000; ++i)
    bodies.mass[i] = i % 3 ? 0.f : std::ldexp(1.f, int(random() % 120) - 60);
  bodies.mass[5] = -1;
  bodies.mass[6] = std::numeric_limits<float>::quiet_NaN();
  bodies.mass[7] = std::numeric_limits<float>::infinity();
  for (const Device device : test::devices())
    for (const std::uint32_t leaf_size : {1u, 8u}) {
      INFO(device);
      const auto builder = make_octree_builder(device);
      builder->set_points({bodies.p[0].data(), bodies.p[1].data(), bodies.p[2].data()}, 2000);
      builder->set_columns(bodies.columns());
      OctreeOptions options;
      options.leaf_size = leaf_size;
      const auto tree = builder->build(options);
      CHECK(tree->counts().bad_masses == 3);
      check_tree(tree->copy(), bodies);
      options.sums = false;
      CHECK(builder->build(options)->copy().node_sums.empty());
    }
}
