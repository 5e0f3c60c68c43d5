// Flat cuts of dendrograms, against joining the edges below the cut one after another.

#include "compute/hierarchy/flat_cut.h"

#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::hierarchy;

namespace {

struct Tree {
  RankedForest forest;
  std::vector<double> height;  // of each edge, not descending; many are equal
};

// Each point hangs on one before it: on the last one, on any, or on a few that many hang on. Of a
// forest some hang on none.
Tree some_tree(std::uint32_t points, int shape, bool is_forest, std::mt19937& random) {
  std::vector<std::uint32_t> name(points);
  std::iota(name.begin(), name.end(), 0u);
  std::shuffle(name.begin(), name.end(), random);
  Tree tree;
  tree.forest.points = points;
  for (std::uint32_t i = 1; i < points; ++i) {
    if (is_forest && random() % 10 == 0) continue;
    const std::uint32_t to = shape == 0 ? i - 1 : shape == 1 ? std::uint32_t(random() % i) : i / 20;
    tree.forest.a.push_back(name[i]);
    tree.forest.b.push_back(name[to]);
    tree.height.push_back(double(random() % 50));
  }
  std::sort(tree.height.begin(), tree.height.end());
  std::vector<std::size_t> at(tree.forest.a.size());
  std::iota(at.begin(), at.end(), std::size_t(0));
  std::shuffle(at.begin(), at.end(), random);
  RankedForest shuffled{points, {}, {}};
  for (const std::size_t edge : at) {
    shuffled.a.push_back(tree.forest.a[edge]);
    shuffled.b.push_back(tree.forest.b[edge]);
  }
  tree.forest = std::move(shuffled);
  return tree;
}

// By union-find, whose roots are the smallest points of their sets.
FlatCut slow_cut(const Tree& tree, double height, std::uint64_t least) {
  std::vector<std::uint32_t> root(tree.forest.points);
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t point) {
    while (root[point] != point) point = root[point];
    return point;
  };
  for (std::size_t edge = 0; edge < tree.height.size(); ++edge) {
    if (tree.height[edge] > height) continue;
    const std::uint32_t a = find(tree.forest.a[edge]), b = find(tree.forest.b[edge]);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint64_t> size(tree.forest.points, 0);
  for (std::uint32_t point = 0; point < tree.forest.points; ++point) ++size[find(point)];
  FlatCut cut;
  std::vector<std::uint32_t> number(tree.forest.points, kNone);
  for (std::uint32_t point = 0; point < tree.forest.points; ++point) {
    if (find(point) != point || size[point] < least) continue;
    number[point] = std::uint32_t(cut.members.size());
    cut.members.push_back(size[point]);
  }
  for (std::uint32_t point = 0; point < tree.forest.points; ++point)
    cut.label.push_back(number[find(point)]);
  return cut;
}

FlatCut cut_of(const Tree& tree, double height, std::uint64_t least,
               compute::Device device = compute::Device::cpu()) {
  const Dendrogram dendrogram = make_dendrogram(compute::Device::cpu(), tree.forest);
  return flat_cut(device, dendrogram, ranks_up_to(tree.height, height), least);
}

}  // namespace

TEST_CASE("flat cuts are the components of the edges up to a height", "[hierarchy][gpu]") {
  std::mt19937 random(5);
  for (const std::uint32_t points : {1u, 2u, 3u, 40u, 700u})
    for (const int shape : {0, 1, 2})
      for (const bool is_forest : {false, true}) {
        const Tree tree = some_tree(points, shape, is_forest, random);
        for (const double height : {-1.0, 0.0, 3.0, 3.5, 20.0, 49.0, 1e9})
          for (const std::uint64_t least : {0, 1, 2, 7, 1000}) {
            CAPTURE(points, shape, is_forest, height, least);
            const FlatCut expected = slow_cut(tree, height, least);
            for (const auto& device : test::devices()) {
              CAPTURE(device.word());
              const FlatCut cut = cut_of(tree, height, least, device);
              CHECK((cut.label == expected.label));
              CHECK((cut.members == expected.members));
            }
          }
      }
}

TEST_CASE("a flat cut takes the edges of its own height, and none above", "[hierarchy]") {
  // fcluster(linkage([[0], [1], [3], [7], [7.5], [20]], 'single'), t, 'distance') of SciPy 1.17.1,
  // its clusters numbered anew by their first point.
  const Tree tree{{6, {3, 0, 1, 2, 4}, {4, 1, 2, 3, 5}}, {0.5, 1, 2, 4, 12.5}};
  CHECK(cut_of(tree, 1, 1).label == std::vector<std::uint32_t>{0, 0, 1, 2, 2, 3});
  CHECK(cut_of(tree, 0.999, 1).label == std::vector<std::uint32_t>{0, 1, 2, 3, 3, 4});
  CHECK(cut_of(tree, 4, 2).label == std::vector<std::uint32_t>{0, 0, 0, 0, 0, kNone});
  CHECK(cut_of(tree, 2, 3).label == std::vector<std::uint32_t>{0, 0, 0, kNone, kNone, kNone});
  CHECK(ranks_up_to(tree.height, 4) == 4);
  CHECK(ranks_up_to(tree.height, 0) == 0);
}

TEST_CASE("of no points there is no flat cut", "[hierarchy]") {
  const FlatCut cut = cut_of({}, 1, 1);
  CHECK(cut.label.empty());
  CHECK(cut.members.empty());
}

TEST_CASE("a flat cut is the same on any device and number of threads", "[hierarchy][gpu]") {
  std::mt19937 random(8);
  const auto points = test::sized<std::uint32_t>(300'000, 20'000);
  for (const int shape : {0, 1, 2}) {
    const Tree tree = some_tree(points, shape, false, random);
    const Dendrogram dendrogram = make_dendrogram(compute::Device::cpu(), tree.forest);
    for (const double height : {2.0, 25.0, 48.0}) {
      CAPTURE(shape, height);
      const std::uint32_t ranks = ranks_up_to(tree.height, height);
      for (const std::uint64_t least : {1, 3}) {
        const FlatCut expected = slow_cut(tree, height, least);
        for (const auto& device : test::devices()) {
          const FlatCut cut = flat_cut(device, dendrogram, ranks, least);
          CHECK((cut.label == expected.label));
          CHECK((cut.members == expected.members));
        }
      }
      const FlatCut first = slow_cut(tree, height, 3);
      for (const std::size_t threads : {1, 2, 7}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        for (int run = 0; run < 2; ++run) {
          const FlatCut again = flat_cut(dendrogram, ranks, 3);
          CHECK((again.label == first.label));
          CHECK((again.members == first.members));
        }
      }
    }
  }
}
