// The tree itself, as each executor builds it, and searches in it against one of every point.

#include "compute/spatial/lbvh_traverse.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/neighbors.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cstring>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

struct Point {
  std::uint32_t x, y, z;
};

// A tree built on a device, and its leaves.
class BuiltTree {
 public:
  BuiltTree(Device device, const Points& p) {
    const auto neighbors = make_neighbors(device);
    neighbors->set_points({p[0].data(), p[1].data(), p[2].data()}, p[0].size());
    tree = neighbors->tree();
    for (const std::uint32_t i : tree.order) leaves.push_back({p[0][i], p[1][i], p[2][i]});
  }
  LbvhView<Point> view() const {
    return {tree.nodes.data(), leaves.data(), tree.right_leaves.data(),
            std::uint32_t(leaves.size())};
  }

  Neighbors::TreeCopy tree;
  std::vector<Point> leaves;
};

// Down by left children and their ropes, as a tree with two pointers would be gone through. Gives
// the leaves below a node, checks all on the way, and appends the nodes in preorder.
std::vector<std::uint32_t> check_below(const LbvhView<Point>& tree, NodeRef at,
                                       NodeRef expected_rope, std::vector<NodeRef>& preorder) {
  preorder.push_back(at);
  if (at & kLeaf) {
    const std::uint32_t leaf = at & ~kLeaf;
    REQUIRE(tree.after(leaf) == expected_rope);
    return {leaf};
  }
  const BvhNode node = tree.nodes[at];
  REQUIRE(node.rope == expected_rope);
  const NodeRef right =
      node.left & kLeaf ? tree.after(node.left & ~kLeaf) : tree.nodes[node.left].rope;
  auto below = check_below(tree, node.left, right, preorder);
  const auto others = check_below(tree, right, expected_rope, preorder);
  below.insert(below.end(), others.begin(), others.end());
  for (int a = 0; a < 3; ++a) {
    std::uint32_t low = ~0u, high = 0;
    for (const std::uint32_t leaf : below) {
      const std::uint32_t at_axis[3] = {tree.leaves[leaf].x, tree.leaves[leaf].y,
                                        tree.leaves[leaf].z};
      low = std::min(low, at_axis[a]);
      high = std::max(high, at_axis[a]);
    }
    REQUIRE(node.low[a] == low);
    REQUIRE(node.high[a] == high);
  }
  return below;
}

std::vector<std::uint32_t> numbers(std::size_t first, std::size_t end) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = first; i < end; ++i) all.push_back(std::uint32_t(i));
  return all;
}

}  // namespace

TEST_CASE("a tree has each leaf once, boxes that just hold them, and ropes in preorder",
          "[lbvh][gpu]") {
  std::mt19937_64 random(1);
  for (const auto& device : test::devices())
    for (int set = 0; set < 60; ++set) {
      const std::size_t count = set < 18 ? std::size_t(set / 6) : random() % 400;
      const Points p = test::make_points(Kind(set % test::kKinds), count, random);
      INFO(device << ", set " << set << ", " << count << " points");
      const BuiltTree built(device, p);
      const auto tree = built.view();
      REQUIRE(tree.count == count);
      REQUIRE(built.tree.nodes.size() == (count < 2 ? 0 : count - 1));
      std::vector<NodeRef> preorder;
      if (count > 0) REQUIRE(check_below(tree, tree.root(), kEnd, preorder) == numbers(0, count));
      REQUIRE(preorder.size() == (count == 0 ? 0 : 2 * count - 1));
      std::vector<std::uint32_t> walked;
      walk(
          tree, tree.root(), [](const BvhNode&) { return true; },
          [&](std::uint32_t leaf) {
            walked.push_back(leaf);
            return true;
          });
      REQUIRE(walked == numbers(0, count));
    }
}

TEST_CASE("both executors build the same tree", "[lbvh][few][gpu]") {
  if (test::devices().size() < 2) return;
  std::mt19937_64 random(6);
  // One block of leaves, its neighbors, and many.
  for (const std::size_t count : {2u, 255u, 256u, 257u, 512u, 513u, 5000u})
    for (int kind = 0; kind < test::kKinds; ++kind) {
      const Points p = test::make_points(Kind(kind), count, random);
      const auto cpu = BuiltTree(Device::cpu(), p).tree, cuda = BuiltTree(Device::cuda(), p).tree;
      INFO(count << " points of kind " << kind);
      REQUIRE(cpu.order == cuda.order);
      REQUIRE(cpu.right_leaves == cuda.right_leaves);
      REQUIRE(cpu.nodes.size() == cuda.nodes.size());
      REQUIRE(std::memcmp(cpu.nodes.data(), cuda.nodes.data(),
                          cpu.nodes.size() * sizeof(BvhNode)) == 0);
    }
}

TEST_CASE("leaves are in Morton order, those of one code in file order", "[lbvh][gpu]") {
  std::mt19937_64 random(2);
  for (const auto& device : test::devices())
    for (int kind = 0; kind < test::kKinds; ++kind) {
      const BuiltTree built(device, test::make_points(Kind(kind), 300, random));
      for (std::size_t i = 1; i < 300; ++i) {
        const Point a = built.leaves[i - 1], b = built.leaves[i];
        const auto before = morton_code(a.x, a.y, a.z), after = morton_code(b.x, b.y, b.z);
        REQUIRE(before <= after);
        if (before == after) REQUIRE(built.tree.order[i - 1] < built.tree.order[i]);
      }
    }
}

TEST_CASE("points of one code make a tree of the least depth", "[lbvh]") {
  std::mt19937_64 random(3);
  const BuiltTree built(Device::cpu(), test::make_points(Kind::OnePoint, 1024, random));
  std::size_t depth = 0;
  for (NodeRef at = built.view().root(); !(at & kLeaf); at = built.tree.nodes[at].left) ++depth;
  CHECK(depth == 10);
}

TEST_CASE("a search meets all points within its distance, stops when told, and meets pairs once",
          "[lbvh]") {
  std::mt19937_64 random(4);
  for (int set = 0; set < 120; ++set) {
    Points p = test::make_points(Kind(set % test::kKinds), 1 + random() % 200, random);
    const bool periodic = set % 4 < 2;
    if (!periodic) p = test::in_middle_half(std::move(p));
    INFO("set " << set);
    const BuiltTree built(Device::cpu(), p);
    const auto tree = built.view();
    const auto& order = built.tree.order;
    // Often exactly the distance of a pair.
    std::uint64_t reach = std::uint64_t(
        test::exact_squared_distance(p, random() % p[0].size(), random() % p[0].size()));
    if (set % 5 == 0) reach = random() >> (random() % 64);
    for (std::uint32_t i = 0; i < tree.count; ++i) {
      std::vector<std::uint32_t> expected, found, found_after;
      for (std::uint32_t j = 0; j < tree.count; ++j)
        if (test::exact_squared_distance(p, order[i], order[j]) <= static_cast<long double>(reach))
          expected.push_back(j);
      const auto note = [](std::vector<std::uint32_t>& in) {
        return [&in](std::uint32_t leaf) {
          in.push_back(leaf);
          return true;
        };
      };
      REQUIRE(for_near(tree, tree.leaves[i], reach, note(found)));
      REQUIRE(found == expected);
      for_near(tree, tree.after(i), tree.leaves[i], reach, note(found_after));
      expected.erase(expected.begin(), std::upper_bound(expected.begin(), expected.end(), i));
      REQUIRE(found_after == expected);
      int calls = 0;
      REQUIRE_FALSE(for_near(tree, tree.leaves[i], reach, [&](std::uint32_t) {
        ++calls;
        return false;
      }));
      REQUIRE(calls == 1);
    }
  }
}

TEST_CASE("a box is as far as its nearest place, around the edge too", "[lbvh]") {
  CHECK(squared_gap(5, 5, 9) == 0);
  CHECK(squared_gap(9, 5, 9) == 0);
  CHECK(squared_gap(4, 5, 9) == 1);
  CHECK(squared_gap(12, 5, 9) == 9);
  CHECK(squared_gap(~0u, 5, 9) == 36);
  CHECK(squared_gap(3, ~0u - 1, ~0u) == 16);
  CHECK(squared_gap(7, 0, ~0u) == 0);
  CHECK(squared_gap(1u << 31, 0, 0) == std::uint64_t(1) << 62);
}
