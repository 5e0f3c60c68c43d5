// The bounds on which the search for most bound members rests: were one too small, a halo's lowest
// member could be lost without a word.

#include "compute/gravity/potential_tree.inl"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace haloscope::compute::gravity;

namespace {

struct Points {
  std::vector<std::uint32_t> x, y, z;
  std::vector<float> mass;

  SourceView view() const { return {x.data(), y.data(), z.data(), mass.data()}; }
  std::size_t size() const { return mass.size(); }
  void add(std::uint32_t px, std::uint32_t py, std::uint32_t pz, float m) {
    x.push_back(px);
    y.push_back(py);
    z.push_back(pz);
    mass.push_back(m);
  }
  // Around a lattice point, with an extent of 2 · `half` steps.
  void add_cloud(std::size_t n, std::uint32_t around, std::int32_t half, std::mt19937& random) {
    std::uniform_int_distribution<std::int32_t> place(-half, half);
    std::uniform_real_distribution<float> one(0.5f, 1.5f);
    for (std::size_t i = 0; i < n; ++i)
      add(around + std::uint32_t(place(random)), around + std::uint32_t(place(random)),
          around + std::uint32_t(place(random)), one(random));
  }
  double depth_of_one(std::size_t i, const Points& targets, std::size_t k, double h) const {
    const double dx = std::int32_t(x[i] - targets.x[k]), dy = std::int32_t(y[i] - targets.y[k]),
                 dz = std::int32_t(z[i] - targets.z[k]);
    return -double(mass[i]) * softened_potential(dx * dx + dy * dy + dz * dz, h);
  }
  double depth_at(const Points& targets, std::size_t k, double h) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += depth_of_one(i, targets, k, h);
    return sum;
  }
};

}  // namespace

TEST_CASE("sums of potentials in single precision keep their bound", "[halos]") {
  std::mt19937 random(1);
  for (const std::size_t n : {16u, 64u, 1008u, 20000u})
    for (const std::int32_t half : {3, 1000, 1 << 20, 1 << 30}) {
      Points points;
      points.add_cloud(n, 0xfffffff0u, half, random);  // across the edge
      for (const double times : {0.0, 0.01, 0.3, 3.0}) {
        const auto h = float(times * half);
        for (const auto reach : {Softening::None, Softening::Here, Softening::Rare}) {
          if ((h > 0) != (reach != Softening::None)) continue;
          std::vector<double> depth(32, 0);
          const auto count = std::uint32_t(std::min<std::size_t>(n, 32));
          attract(points.view(), n, points.view(), count, {reach, h}, depth.data());
          double worst = 0;
          for (std::uint32_t k = 0; k < count; ++k) {
            const double expected = points.depth_at(points, k, double(h));
            worst = std::max(worst, std::abs(depth[k] / expected - 1));
          }
          INFO("n " << n << ", half " << half << ", h " << h << ", reach " << int(reach));
          CHECK(worst < double(kAttractionError));
        }
      }
    }
}

// One pair at all distances of a few octaves: in sums the errors of both signs would cancel.
TEST_CASE("the potential of a point in single precision", "[halos]") {
  Points one, origin;
  origin.add(0, 0, 0, 1);
  for (std::size_t i = 0; i < SourceView::kMultiple; ++i) one.add(0, 0, 0, i == 0 ? 1.f : 0.f);
  double worst = 0;
  for (std::uint32_t r = 100000; r < 800000; r += 7) {
    one.x[0] = r;
    double depth = 0;
    attract(one.view(), one.size(), origin.view(), 1, {}, &depth);
    worst = std::max(worst, std::abs(depth * r - 1));
  }
  CHECK(worst < 3e-5);
}

// One pair at all distances: the error of a term leaves most of the bound to the additions.
TEST_CASE("the softened potential in single precision", "[halos]") {
  Points one, origin;
  origin.add(0, 0, 0, 1);
  for (std::size_t i = 0; i < SourceView::kMultiple; ++i) one.add(0, 0, 0, i == 0 ? 1.f : 0.f);
  const float h = 1 << 20;
  double worst = 0;
  for (std::uint32_t r = 1; r < 1u << 21; r += 37) {
    one.x[0] = r;
    double depth = 0;
    attract(one.view(), one.size(), origin.view(), 1, {Softening::Here, h}, &depth);
    worst = std::max(worst, std::abs(depth / one.depth_at(origin, 0, double(h)) - 1));
  }
  CHECK(worst < 1e-5);
}

// One pair, and many, at all distances: a bound that were too low would drop the lowest member.
TEST_CASE("potentials bounded from above are nowhere lower", "[halos]") {
  std::mt19937 random(3);
  Points one, origin;
  origin.add(0, 0, 0, 1);
  for (std::size_t i = 0; i < SourceView::kMultiple; ++i) one.add(0, 0, 0, i == 0 ? 1.f : 0.f);
  const float h = 1 << 20;
  double lowest = 10, highest = 0;
  for (std::uint32_t r = 0; r < 1u << 21; r += 37) {
    one.x[0] = r;
    double depth = 0;
    attract(one.view(), one.size(), origin.view(), 1, {Softening::Most, h}, &depth);
    const double ratio = depth / one.depth_at(origin, 0, double(h));
    lowest = std::min(lowest, ratio);
    highest = std::max(highest, ratio);
  }
  CHECK(lowest > 1 - 3e-5);
  CHECK(highest < 1.35);  // at h / 2.8
  for (const double softening : {0.0, 0.03, 1.0}) {
    Points cloud;
    cloud.add_cloud(1008, 0xfffffff0u, 1 << 24, random);
    const auto support = float(softening * (1 << 24));
    double depth[32] = {};
    attract(cloud.view(), cloud.size(), cloud.view(), 32, {Softening::Most, support}, depth);
    for (std::size_t k = 0; k < 32; ++k)
      CHECK(depth[k] * (1 + double(kAttractionError)) >= cloud.depth_at(cloud, k, double(support)));
  }
}

// Nodes of any shape seen from boxes at any distance, with any softening: what is not refused is
// wrong by no more than was said.
TEST_CASE("a tree node seen as a point keeps its bound", "[halos]") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform;
  int points = 0, splines = 0;
  double nearest_to_bound = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Points sources, targets;
    const auto half = std::int32_t(std::pow(2.0, 4 + 19 * uniform(random)));
    const std::uint32_t center = std::uint32_t(random());
    // Four leaves of eight, and the node over them.
    for (int leaf = 0; leaf < 4; ++leaf)
      sources.add_cloud(8, center + std::uint32_t(half * uniform(random) * 2),
                        std::max(1, std::int32_t(half * uniform(random))), random);
    const auto away = std::uint32_t(half * std::pow(10.0, 2 * uniform(random)));
    targets.add_cloud(8, center + away, std::max(1, half / 8), random);
    const double h = trial % 3 == 0 ? 0 : half * std::pow(10.0, 3 * uniform(random) - 1);

    const HaloTree tree = make_tree(0, 32);
    const Block block{0, 32, 0, 0};
    std::vector<TreeNode> nodes(5);
    MakeLeaves{&block, sources.view(), &tree, nodes.data()}(0);
    MakeUpperNodes{&tree, nodes.data()}(0);
    LatticeBox box{{targets.x[0], targets.y[0], targets.z[0]},
                   {targets.x[0], targets.y[0], targets.z[0]}};
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const std::uint32_t p[3] = {targets.x[k], targets.y[k], targets.z[k]};
      box.include(p, p);
    }
    NodeFan fan;
    for (std::uint32_t c = 0; c < HaloTree::kFan; ++c) {
      for (int a = 0; a < 3; ++a) fan.center[a][c] = nodes[4].center[a];
      fan.radius[c] = nodes[4].radius;
      fan.spread[c] = nodes[4].spread;
    }
    FanErrors errors;
    find_errors_on_cpu(fan, 1, box, float(h), errors);
    const float error = errors.error[trial % 4];
    const bool soft = !(errors.outside[trial % 4] > float(h));
    if (!(error < 1e30f)) continue;
    (soft ? splines : points) += 1;
    Points node;
    node.add(nodes[4].center[0], nodes[4].center[1], nodes[4].center[2], nodes[4].mass);
    for (std::size_t k = 0; k < targets.size(); ++k) {
      // A particle at its place has a spline's central depth in the sums of both.
      const double exact = sources.depth_at(targets, k, h);
      const double seen = node.depth_at(targets, k, soft ? h : 0);
      const double bound = double(nodes[4].mass) * double(error) + 1e-6 * exact;
      INFO("trial " << trial << ", half " << half << ", away " << away << ", h " << h);
      CHECK(std::abs(seen - exact) <= bound);
      nearest_to_bound = std::max(nearest_to_bound, std::abs(seen - exact) / bound);
    }
  }
  CHECK(points > 500);
  CHECK(splines > 500);
  // Bounds that are never nearly met would open nodes in vain.
  CHECK(nearest_to_bound > 0.2);
}
