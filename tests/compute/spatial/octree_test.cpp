// Octrees: all builds on both executors give the tree that serial insertion gives.

#include "compute/spatial/octree.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/oracles/slow_octree.h"
#include "tests/renderers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

constexpr OctreeBuild kBuilds[] = {OctreeBuild::Morton, OctreeBuild::LockFree, OctreeBuild::Plain,
                                   OctreeBuild::Shared, OctreeBuild::Locked};

std::array<const std::uint32_t*, 3> columns_of(const Points& p) {
  return {p[0].data(), p[1].data(), p[2].data()};
}

bool same_nodes(const std::vector<OctreeNode>& a, const std::vector<OctreeNode>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t n = 0; n < a.size(); ++n)
    for (int o = 0; o < 8; ++o)
      if (a[n].child[o] != b[n].child[o]) return false;
  return true;
}
// Bit by bit: a sum that is no number equals itself.
bool same_sums(const std::vector<OctreeSums>& a, const std::vector<OctreeSums>& b) {
  static_assert(sizeof(OctreeSums) == 72);
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(OctreeSums)) == 0);
}

void check_same(const OctreeCopy& tree, const OctreeCopy& wanted) {
  CHECK(tree.order == wanted.order);
  CHECK(tree.node_begin == wanted.node_begin);
  CHECK(tree.node_count == wanted.node_count);
  if (!wanted.order.empty()) {
    CHECK(tree.leaf_begin == wanted.leaf_begin);
    if (!wanted.nodes.empty()) CHECK(tree.level_begin == wanted.level_begin);
  }
  CHECK(same_nodes(tree.nodes, wanted.nodes));
}

void check_all_builds(const Points& p, std::uint32_t leaf_size, int depth) {
  const OctreeCopy wanted = test::SlowOctree(p, leaf_size, depth).copy();
  for (const Device device : test::devices()) {
    const auto builder = make_octree_builder(device);
    builder->set_points(columns_of(p), p[0].size());
    OctreeCopy first;
    for (const OctreeBuild build : kBuilds) {
      INFO(device << ", build " << int(build) << ", " << p[0].size() << " bodies, leaves of "
                  << leaf_size << ", depth " << depth);
      OctreeOptions options;
      options.build = build;
      options.leaf_size = leaf_size;
      options.depth = depth;
      const auto tree = builder->build(options);
      const OctreeCopy copy = tree->copy();
      check_same(copy, wanted);
      if (build == OctreeBuild::Morton) first = copy;
      CHECK(same_sums(copy.node_sums, first.node_sums));
      CHECK(same_sums(copy.leaf_sums, first.leaf_sums));
      const OctreeCounts counts = tree->counts();
      CHECK(counts.nodes == wanted.nodes.size());
      CHECK(counts.taken >= counts.nodes);
      std::uint32_t crowded = 0, largest = 0;
      for (std::size_t leaf = 0; leaf + 1 < wanted.leaf_begin.size(); ++leaf) {
        const std::uint32_t count = wanted.leaf_begin[leaf + 1] - wanted.leaf_begin[leaf];
        if (count <= leaf_size) continue;
        ++crowded;
        largest = std::max(largest, count);
      }
      CHECK(counts.crowded_leaves == crowded);
      CHECK(counts.largest_leaf == largest);
    }
  }
}

}  // namespace

TEST_CASE("every build of an octree gives the tree of serial insertion", "[octree][few][gpu]") {
  std::mt19937_64 random(151);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::size_t n : {0u, 1u, 2u, 9u, 300u, 5000u})
      for (const std::uint32_t leaf_size : {1u, 8u, 64u}) {
        INFO("kind " << kind);
        check_all_builds(test::make_points(Kind(kind), n, random), leaf_size, kMostOctreeDepth);
      }
}

TEST_CASE("octrees of many bodies are the same whatever builds them", "[octree][gpu]") {
  std::mt19937_64 random(152);
  for (const Kind kind : {Kind::Uniform, Kind::Clustered, Kind::Lattice, Kind::Duplicates})
    for (const std::uint32_t leaf_size : {1u, 64u}) {
      INFO("kind " << int(kind));
      check_all_builds(test::make_points(kind, 100000, random), leaf_size, kMostOctreeDepth);
    }
}

// So many bodies, in no order, are sorted by cells before they are inserted.
TEST_CASE("bodies scattered over all of the memory make the same octree", "[octree][gpu]") {
  std::mt19937_64 random(157);
  const Points p = test::make_points(Kind::Clustered, (2u << 20) + 4321, random);
  for (const Device device : test::devices()) {
    const auto builder = make_octree_builder(device);
    builder->set_points(columns_of(p), p[0].size());
    for (const std::uint32_t leaf_size : {1u, 64u}) {
      INFO(device << ", leaves of " << leaf_size);
      OctreeOptions options;
      options.leaf_size = leaf_size;
      const OctreeCopy sorted = builder->build(options)->copy();
      options.build = OctreeBuild::LockFree;
      Timings timings;
      const OctreeCopy inserted = builder->build(options, &timings)->copy();
      CHECK(timings.samples().count("sort") == 1);
      check_same(inserted, sorted);
      CHECK(same_sums(inserted.node_sums, sorted.node_sums));
      CHECK(same_sums(inserted.leaf_sums, sorted.leaf_sums));
    }
  }
}

TEST_CASE("cells of an octree's deepest level hold any number of bodies", "[octree][few][gpu]") {
  std::mt19937_64 random(153);
  for (const int depth : {1, 2, 3, 7})
    for (const std::uint32_t leaf_size : {1u, 8u})
      for (const std::size_t n : {2u, 3000u})
        check_all_builds(test::make_points(Kind::Clustered, n, random), leaf_size, depth);
  check_all_builds(test::make_points(Kind::OnePoint, 20000, random), 1, kMostOctreeDepth);
}

TEST_CASE("bodies already in Morton order and close pairs make the same octree",
          "[octree][few][gpu]") {
  // Neighbors that part only on the deepest levels: more nodes than bodies.
  std::mt19937_64 random(154);
  Points p;
  for (int i = 0; i < 3000; ++i)
    for (auto& axis : p) {
      const auto x = std::uint32_t(random());
      axis.push_back(x);
      axis.push_back(x ^ (1u << (11 + random() % 3)));
    }
  check_all_builds(p, 1, kMostOctreeDepth);
  std::vector<std::uint32_t> order(p[0].size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return morton_code(p[0][a], p[1][a], p[2][a]) < morton_code(p[0][b], p[1][b], p[2][b]);
  });
  Points sorted;
  for (const std::uint32_t i : order)
    for (std::size_t a = 0; a < 3; ++a) sorted[a].push_back(p[a][i]);
  check_all_builds(sorted, 1, kMostOctreeDepth);
}

TEST_CASE("an octree over placed points is the one over their columns", "[octree][few][gpu]") {
  std::mt19937_64 random(155);
  const Points p = test::make_points(Kind::Duplicates, 3000, random);
  for (const Device device : test::devices()) {
    const auto set = test::placed(device, {{0, 0, 0}, 1, true}, p).front();
    const auto builder = make_octree_builder(device);
    std::vector<float> mass(p[0].size());
    for (auto& m : mass) m = float(random() % 1000);
    OctreeColumns columns;
    columns.mass = mass.data();
    builder->set_points(set);
    builder->set_columns(columns);
    std::vector<OctreeCopy> of_set;
    for (const OctreeBuild build : kBuilds) of_set.push_back(builder->build({build, 8})->copy());
    builder->set_points(columns_of(p), p[0].size());
    builder->set_columns(columns);
    const OctreeCopy wanted = builder->build({OctreeBuild::Morton, 8})->copy();
    for (const OctreeCopy& copy : of_set) {
      INFO(device);
      CHECK(same_nodes(copy.nodes, wanted.nodes));
      CHECK(copy.leaf_begin == wanted.leaf_begin);
      CHECK(same_sums(copy.node_sums, wanted.node_sums));
      // The set's own order is Morton order, those of one code by row.
      for (std::uint32_t k = 0; k < copy.order.size(); ++k)
        if (copy.order[k] != k) FAIL_CHECK("body " << k << " is at " << copy.order[k]);
    }
  }
}

TEST_CASE("what is no octree is refused in a sentence", "[octree]") {
  const auto builder = make_octree_builder(Device::cpu());
  const auto refused = [&](std::uint32_t leaf_size, int depth) -> std::string {
    OctreeOptions options;
    options.leaf_size = leaf_size;
    options.depth = depth;
    try {
      builder->build(options);
    } catch (const Error& e) {
      return e.what();
    }
    return "taken";
  };
  CHECK_THAT(refused(0, 21), Catch::Matchers::Contains("leaf of 0 bodies"));
  CHECK_THAT(refused(1, 0), Catch::Matchers::Contains("from 1 to 21"));
  CHECK_THAT(refused(1, 22), Catch::Matchers::Contains("22 levels deep"));
  const std::uint32_t* none = nullptr;
  CHECK_THROWS_AS(builder->set_points({none, none, none}, std::uint64_t(1) << 31), Error);
}
