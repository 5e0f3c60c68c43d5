// Condensed trees and their clusters, against what their definitions say of every point and cut.

#include "compute/clusters/hdbscan.h"

#include "compute/clusters/cluster_tree.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/plain_cut.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;
namespace hierarchy = haloscope::compute::hierarchy;

namespace {

struct Grown {
  hierarchy::Dendrogram dendrogram;
  std::vector<double> height;
};

// Clumps in a background, on a plane.
Grown grow(std::size_t count, int min_samples, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> x, y;
  std::uint32_t at[2] = {0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 40 == 0)
      for (auto& c : at) c = std::uint32_t(random() >> 3);
    const bool field = random() % 5 == 0;
    x.push_back(field ? std::uint32_t(random() >> 3) : at[0] + random() % (1u << 22));
    y.push_back(field ? std::uint32_t(random() >> 3) : at[1] + random() % (1u << 22));
  }
  Progress progress;
  const auto tree = make_cluster_tree(Device::cpu(), progress);
  tree->grow({{x.data(), y.data()}, count}, {min_samples});
  Grown grown{tree->dendrogram(), {}};
  for (const std::uint64_t squared : tree->spanning_tree().squared_weight)
    grown.height.push_back(std::sqrt(double(squared)) * 1e-6);
  return grown;
}

// Of each point the smallest point of its component of at least `least` points where all edges up
// to a height are merged; kNone: it has fewer.
std::vector<std::uint32_t> components(const Grown& grown, double height, std::uint32_t least) {
  const auto ranks = std::uint32_t(
      std::upper_bound(grown.height.begin(), grown.height.end(), height) - grown.height.begin());
  std::vector<std::uint32_t> label = test::plain_cut(grown.dendrogram, ranks);
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (const std::uint32_t l : label) ++sizes[l];
  for (auto& l : label)
    if (sizes[l] < least) l = hierarchy::kNone;
  return label;
}

}  // namespace

TEST_CASE("a condensed tree holds the large components of every cut", "[clusters]") {
  for (const std::uint32_t least : {2u, 5u, 20u}) {
    const Grown grown = grow(test::sized<std::size_t>(1200, 400), 3, least);
    const CondensedTree tree = condense(grown.dendrogram, grown.height, least);
    CAPTURE(least, tree.clusters());
    CHECK(tree.clusters() > 4);
    for (std::size_t k = 0; k + 1 < grown.height.size(); k += 7) {
      if (grown.height[k] == grown.height[k + 1]) continue;
      // Between two heights: what is born at a smaller λ and has not fallen out is together.
      const double height = (grown.height[k] + grown.height[k + 1]) / 2, lambda = 1 / height;
      const auto expected = components(grown, height, least);
      std::map<std::uint32_t, std::uint32_t> cluster_of;  // by component
      for (std::size_t p = 0; p < expected.size(); ++p) {
        const bool is_in = tree.point_lambda[p] > lambda;
        REQUIRE(is_in == (expected[p] != hierarchy::kNone));
        if (!is_in) continue;
        std::uint32_t c = tree.point_cluster[p];
        while (tree.birth[c] > lambda) c = tree.parent[c];
        REQUIRE(cluster_of.try_emplace(expected[p], c).first->second == c);
      }
      std::vector<std::uint32_t> clusters;
      for (const auto& [component, c] : cluster_of) clusters.push_back(c);
      std::sort(clusters.begin(), clusters.end());
      CHECK((std::unique(clusters.begin(), clusters.end()) == clusters.end()));
    }
  }
}

TEST_CASE("sizes and births of condensed clusters", "[clusters]") {
  const Grown grown = grow(1000, 1, 7);
  const CondensedTree tree = condense(grown.dendrogram, grown.height, 10);
  std::vector<std::uint32_t> below(tree.clusters(), 0);
  for (const std::uint32_t c : tree.point_cluster) ++below[c];
  for (std::size_t c = tree.clusters(); c-- > 1;) {
    CHECK(below[c] == tree.size[c]);
    CHECK(tree.size[c] >= 10);
    CHECK(tree.parent[c] < c);
    CHECK(tree.birth[c] >= tree.birth[tree.parent[c]]);
    below[tree.parent[c]] += below[c];
  }
  CHECK(below[0] == 1000);
}

TEST_CASE("excess of mass takes the clusters whose stabilities sum to the most", "[clusters]") {
  const unsigned seed = GENERATE(range(1u, 9u));
  const Grown grown = grow(800, 1 + int(seed % 4), seed);
  const CondensedTree tree = condense(grown.dendrogram, grown.height, 4 + seed);
  const auto stability = totals_of(tree).stability;
  // The best sum below each cluster, by trying both.
  std::vector<double> best = stability, children(tree.clusters(), 0);
  for (std::size_t c = tree.clusters(); c-- > 1;) {
    best[c] = std::max(stability[c], children[c]);
    children[tree.parent[c]] += best[c];
  }
  const HdbscanClusters found = select_clusters(tree, {});
  double sum = 0;
  for (const std::uint32_t c : found.cluster) {
    CHECK(c != 0);
    sum += stability[c];
  }
  CHECK(found.cluster.size() >= 2);
  CHECK(sum == Approx(children[0]).epsilon(1e-12));
  // Labels are those of the selected clusters, in the order of their first points.
  std::uint32_t next = 0;
  for (std::size_t p = 0; p < found.label.size(); ++p) {
    std::uint32_t c = tree.point_cluster[p];
    while (c != 0 &&
           std::find(found.cluster.begin(), found.cluster.end(), c) == found.cluster.end())
      c = tree.parent[c];
    REQUIRE((found.label[p] == kNoCluster) == (c == 0));
    REQUIRE((found.probability[p] > 0) == (c != 0));
    REQUIRE(found.probability[p] <= 1);
    REQUIRE(found.outlier_score[p] >= 0);
    REQUIRE(found.outlier_score[p] <= 1);
    if (c == 0) continue;
    CHECK(found.cluster[found.label[p]] == c);
    CHECK(found.label[p] <= next);
    next = std::max(next, found.label[p] + 1);
  }
}

TEST_CASE("leaves, a largest size, an epsilon and a single cluster", "[clusters]") {
  const Grown grown = grow(800, 4, 3);
  const CondensedTree tree = condense(grown.dendrogram, grown.height, 12);
  std::vector<bool> splits(tree.clusters(), false);
  for (std::size_t c = 1; c < tree.clusters(); ++c) splits[tree.parent[c]] = true;
  const auto leaves = select_clusters(tree, {.selection = Selection::Leaf});
  CHECK(leaves.cluster.size() == std::size_t(std::count(splits.begin(), splits.end(), false)));
  for (const std::uint32_t c : leaves.cluster) CHECK(!splits[c]);

  for (const std::uint32_t c : select_clusters(tree, {.max_cluster_size = 60}).cluster)
    CHECK(tree.size[c] <= 60);

  const double epsilon = 40;
  const auto joined =
      select_clusters(tree, {.selection = Selection::Leaf, .epsilon = epsilon}).cluster;
  CHECK(joined.size() < leaves.cluster.size());
  for (const std::uint32_t c : joined) CHECK((1 / tree.birth[c] >= epsilon || tree.parent[c] == 0));

  // One clump: nothing is found in it, unless it may be the one.
  std::vector<std::uint32_t> x;
  for (std::uint32_t i = 0; i < 30; ++i) x.push_back(i * 1000 + i * i);
  Progress progress;
  const auto line = make_cluster_tree(Device::cpu(), progress);
  line->grow({{x.data()}, x.size()}, {});
  std::vector<double> height;
  for (const std::uint64_t w : line->spanning_tree().squared_weight)
    height.push_back(std::sqrt(double(w)));
  const CondensedTree one = condense(line->dendrogram(), height, 20);
  CHECK(one.clusters() == 1);
  CHECK(select_clusters(one, {}).cluster.empty());
  CHECK(select_clusters(one, {.allow_single_cluster = true}).cluster.size() == 1);
}

TEST_CASE("condensing few points and points of one place", "[clusters]") {
  for (const std::size_t count : {0, 1, 2, 3, 50}) {
    std::vector<std::uint32_t> x(count, 77);
    Progress progress;
    const auto tree = make_cluster_tree(Device::cpu(), progress);
    tree->grow({{x.data()}, count}, {});
    const CondensedTree condensed =
        condense(tree->dendrogram(), std::vector<double>(count > 0 ? count - 1 : 0, 0.), 5);
    CHECK(condensed.parent[0] == hierarchy::kNone);
    for (const double stability : totals_of(condensed).stability) CHECK(!std::isnan(stability));
    const auto found = select_clusters(condensed, {.allow_single_cluster = true});
    CHECK(found.label.size() == count);
    for (const double score : found.outlier_score) CHECK(score == 0);
  }
  CHECK_THROWS_AS(condense({}, {}, 1), Error);
}
