// Weights in condensed trees, and the choice of a least size, against sets of points that are taken
// apart edge by edge.

#include "compute/clusters/cluster_sizes.h"

#include "compute/clusters/hdbscan.h"
#include "compute/clusters/point_weights.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/slow_condensing.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;
using haloscope::test::SlowCondensedTree;
using haloscope::test::SlowEdge;
using haloscope::test::SlowSizes;
namespace hierarchy = haloscope::compute::hierarchy;

namespace {

struct MadeTree {
  std::vector<SlowEdge> edges;  // by height
  std::vector<double> weight, ones;
  hierarchy::Dendrogram dendrogram;
  std::vector<double> height;
};

// Clumps in clumps, in no space: any tree has a hierarchy. Heights have ties, and zeros where
// `zeros`; weights are eighths, from 0 on, so that their sums are exact.
MadeTree make_tree(std::uint32_t points, unsigned seed, bool zeros = false) {
  std::mt19937 random(seed);
  MadeTree made;
  for (std::uint32_t p = 1; p < points; ++p) {
    // The further apart two clumps are, the longer is what joins them.
    const std::uint32_t clump = p % 12 != 0 ? 12 : p % 36 != 0 ? 36 : points;
    const std::uint32_t first = p - p % clump;
    const std::uint32_t to = first + std::uint32_t(random() % (p - first));
    const double length = (clump == 12 ? 0 : clump == 36 ? 20 : 40) + double(random() % 30);
    made.edges.push_back({to, p, zeros || length > 0 ? length : 0.5});
  }
  std::stable_sort(made.edges.begin(), made.edges.end(),
                   [](const SlowEdge& e, const SlowEdge& f) { return e.height < f.height; });
  hierarchy::RankedForest forest{points, {}, {}};
  for (const SlowEdge& edge : made.edges) {
    forest.a.push_back(edge.a);
    forest.b.push_back(edge.b);
    made.height.push_back(edge.height);
  }
  made.dendrogram = hierarchy::make_dendrogram(Device::cpu(), forest);
  for (std::uint32_t p = 0; p < points; ++p) {
    made.weight.push_back(double(random() % 25) / 8);
    made.ones.push_back(1);
  }
  return made;
}

// The points of each cluster of a condensed tree, ascending.
std::vector<std::vector<std::uint32_t>> points_of(const CondensedTree& tree) {
  std::vector<std::vector<std::uint32_t>> sets(tree.clusters());
  for (std::uint32_t p = 0; p < tree.point_cluster.size(); ++p)
    for (std::uint32_t c = tree.point_cluster[p]; c != hierarchy::kNone; c = tree.parent[c])
      sets[c].push_back(p);
  return sets;
}

std::vector<std::uint32_t> sorted_points(std::vector<std::uint32_t> points) {
  std::sort(points.begin(), points.end());
  return points;
}

void check_tree(const CondensedTree& tree, const SlowCondensedTree& slow) {
  REQUIRE(tree.clusters() == slow.clusters.size());
  const auto sets = points_of(tree);
  std::map<std::vector<std::uint32_t>, std::size_t> number;
  for (std::size_t c = 0; c < tree.clusters(); ++c) number[sets[c]] = c;
  const std::vector<double> stability = totals_of(tree).stability;
  for (std::size_t s = 0; s < slow.clusters.size(); ++s) {
    const auto found = number.find(sorted_points(slow.clusters[s].points));
    REQUIRE(found != number.end());
    const std::size_t c = found->second;
    CHECK(tree.birth[c] == slow.clusters[s].birth);
    CHECK(tree.size[c] == slow.clusters[s].points.size());
    CHECK(tree.weight_of(c) == slow.clusters[s].weight);
    // Both sum as many terms, in other orders.
    CHECK(stability[c] == Approx(slow.stability(s)).epsilon(1e-11).margin(1e-12));
  }
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p) {
    CHECK(tree.point_lambda[p] == slow.point_lambda[p]);
    CHECK(sets[tree.point_cluster[p]] ==
          sorted_points(slow.clusters[slow.point_cluster[p]].points));
  }
}

// The sets of points of the labels' clusters.
std::set<std::vector<std::uint32_t>> sets_of(const std::vector<std::uint32_t>& label) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> sets;
  for (std::uint32_t p = 0; p < label.size(); ++p)
    if (label[p] != kNoCluster) sets[label[p]].push_back(p);
  std::set<std::vector<std::uint32_t>> all;
  for (const auto& [number, points] : sets) all.insert(points);
  return all;
}

// The places of the highest local maxima, of runs of equal values the first.
std::vector<double> slow_peaks(const SlowSizes& slow) {
  std::vector<SlowSizes::Range> runs;
  for (const SlowSizes::Range& range : slow.ranges)
    if (runs.empty() || runs.back().persistence != range.persistence) runs.push_back(range);
  std::vector<SlowSizes::Range> peaks;
  for (std::size_t k = 0; k < runs.size(); ++k)
    if ((k == 0 || runs[k - 1].persistence < runs[k].persistence) &&
        (k + 1 == runs.size() || runs[k + 1].persistence < runs[k].persistence))
      peaks.push_back(runs[k]);
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const auto& p, const auto& q) { return p.persistence > q.persistence; });
  std::vector<double> above;
  for (const SlowSizes::Range& peak : peaks) above.push_back(peak.above);
  return above;
}

}  // namespace

TEST_CASE("condensed trees of points that have weights", "[clusters][weights]") {
  for (const unsigned seed : {1u, 2u, 3u, 4u})
    for (const double least : {1.125, 3., 7.5, 20.}) {
      const MadeTree made = make_tree(test::sized<std::uint32_t>(144, 72), seed, seed == 2);
      CAPTURE(seed, least);
      check_tree(condense(made.dendrogram, made.height, least, made.weight),
                 SlowCondensedTree(made.edges, made.weight, least));
      check_tree(condense(made.dendrogram, made.height, least, {}),
                 SlowCondensedTree(made.edges, made.ones, least));
    }
}

// Sums of n terms round by n · 2⁻⁵³ of them at most; those without weights are exact.
static void check_close(const std::vector<double>& values, const std::vector<double>& expected,
                        std::size_t terms) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    CHECK(values[k] == Approx(expected[k]).epsilon(double(terms) * 0x1p-52));
}

TEST_CASE("points without weights weigh 1", "[clusters][weights]") {
  const MadeTree made = make_tree(144, 5);
  const CondensedTree plain = condense(made.dendrogram, made.height, 6);
  const CondensedTree weighted = condense(made.dendrogram, made.height, 6., made.ones);
  CHECK(plain.parent == weighted.parent);
  CHECK(plain.size == weighted.size);
  CHECK(plain.birth == weighted.birth);
  CHECK(plain.point_cluster == weighted.point_cluster);
  CHECK(plain.point_lambda == weighted.point_lambda);
  check_close(totals_of(weighted).stability, totals_of(plain).stability, made.ones.size());
  const HdbscanClusters first = select_clusters(plain, {}), second = select_clusters(weighted, {});
  CHECK(first.label == second.label);
  CHECK(first.probability == second.probability);
  check_close(second.persistence, first.persistence, made.ones.size());
  CHECK(first.outlier_score == second.outlier_score);
}

// Of copies that lie at one place the tree has edges of height 0, and below the least size no copy
// leaves before the others.
TEST_CASE("a point of a whole weight counts as so many points at one place",
          "[clusters][weights]") {
  const MadeTree made = make_tree(96, 7);
  std::mt19937 random(3);
  std::vector<double> weight;
  hierarchy::RankedForest forest{96, {}, {}};
  std::vector<double> height;
  std::vector<std::uint32_t> original;
  for (std::uint32_t p = 0; p < 96; ++p) original.push_back(p);
  for (std::uint32_t p = 0; p < 96; ++p) {
    weight.push_back(double(1 + random() % 3));
    for (int copy = 1; copy < int(weight[p]); ++copy) {
      forest.a.push_back(p);
      forest.b.push_back(forest.points++);
      original.push_back(p);
      height.push_back(0);
    }
  }
  for (const SlowEdge& edge : made.edges) {
    forest.a.push_back(edge.a);
    forest.b.push_back(edge.b);
    height.push_back(edge.height);
  }
  const auto copies = hierarchy::make_dendrogram(Device::cpu(), forest);
  const CondensedTree expected = condense(copies, height, 9);
  const CondensedTree tree = condense(made.dendrogram, made.height, 9., weight);
  REQUIRE(tree.clusters() > 3);
  CHECK(tree.parent == expected.parent);
  CHECK(tree.birth == expected.birth);
  for (std::size_t c = 0; c < tree.clusters(); ++c)
    CHECK(tree.weight[c] == double(expected.size[c]));
  for (std::size_t q = 0; q < original.size(); ++q) {
    CHECK(tree.point_cluster[original[q]] == expected.point_cluster[q]);
    CHECK(tree.point_lambda[original[q]] == expected.point_lambda[q]);
  }
  const auto stability = totals_of(tree).stability, of_copies = totals_of(expected).stability;
  for (std::size_t c = 0; c < tree.clusters(); ++c)
    CHECK(stability[c] == Approx(of_copies[c]).epsilon(1e-12));
  for (const std::uint64_t most : {0u, 40u, 30u, 25u, 20u, 16u, 13u}) {
    const HdbscanSettings settings{.max_cluster_size = most};
    const HdbscanClusters found = select_clusters(tree, settings);
    const HdbscanClusters all = select_clusters(expected, settings);
    REQUIRE(found.cluster == all.cluster);
    for (std::size_t q = 0; q < original.size(); ++q) {
      CHECK(found.label[original[q]] == all.label[q]);
      CHECK(found.probability[original[q]] == Approx(all.probability[q]).epsilon(1e-12));
    }
    for (std::size_t k = 0; k < found.persistence.size(); ++k)
      CHECK(found.persistence[k] == Approx(all.persistence[k]).epsilon(1e-12));
  }
}

TEST_CASE("one heavy point is no cluster, and weightless ones break nothing",
          "[clusters][weights]") {
  MadeTree made = make_tree(60, 9, true);
  made.weight[7] = 1000;
  check_tree(condense(made.dendrogram, made.height, 30., made.weight),
             SlowCondensedTree(made.edges, made.weight, 30));
  std::fill(made.weight.begin(), made.weight.end(), 0.);
  REQUIRE(made.edges[0].height == 0);
  made.weight[made.edges[0].a] = 60;
  const CondensedTree tree = condense(made.dendrogram, made.height, 5., made.weight);
  for (const double stability : totals_of(tree).stability) CHECK(!std::isnan(stability));
  for (const auto selection : {Selection::ExcessOfMass, Selection::Leaf}) {
    const HdbscanClusters found =
        select_clusters(tree, {.selection = selection, .allow_single_cluster = true});
    for (const double persistence : found.persistence) CHECK(!std::isnan(persistence));
  }
  CHECK_THROWS_AS(condense(made.dendrogram, made.height, 5., {1, 2, 3}), Error);
  CHECK_THROWS_AS(condense(made.dendrogram, made.height, 1., made.weight), Error);
}

TEST_CASE("leaf clusters persist over sizes as trying each size tells", "[clusters][sizes]") {
  std::size_t ranges = 0, peaks = 0;
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    const MadeTree made = make_tree(test::sized<std::uint32_t>(108, 60), seed, seed == 3);
    for (const bool weighted : {false, true})
      for (const double above : {1., 3.}) {
        CAPTURE(seed, weighted, above);
        const std::vector<double>& weight = weighted ? made.weight : made.ones;
        const SlowSizes slow(made.edges, weight, above);
        const CondensedTree tree =
            condense(made.dendrogram, made.height, std::nextafter(above, HUGE_VAL),
                     weighted ? made.weight : std::vector<double>{});
        const std::vector<SizeRange> found = size_ranges(tree, above);
        REQUIRE(!found.empty());
        REQUIRE(!slow.ranges.empty());
        CHECK(found.front().above == above);
        CHECK(found.back().up_to == slow.ranges.back().up_to);
        for (std::size_t k = 1; k < found.size(); ++k) CHECK(found[k].above == found[k - 1].up_to);
        for (const SlowSizes::Range& range : slow.ranges) {
          const auto at = std::find_if(found.begin(), found.end(), [&](const SizeRange& one) {
            return one.holds(range.up_to);
          });
          REQUIRE(at != found.end());
          CHECK(at->above <= range.above);
          CHECK(at->leaves == range.leaves.size());
          CHECK(at->persistence == range.persistence);
          // The size that is taken for the range gives its clusters.
          const double size = at->usual_size();
          CHECK(at->holds(size));
          const HdbscanClusters clusters = select_clusters(
              condense(made.dendrogram, made.height, size, weight), {.selection = Selection::Leaf});
          CHECK((sets_of(clusters.label) == range.leaves));
        }
        const auto best = most_persistent(found, 1000);
        std::vector<double> places;
        for (const std::size_t k : best) places.push_back(found[k].above);
        CHECK(places == slow_peaks(slow));
        const auto few = most_persistent(found, 2);
        CHECK(few.size() == std::min<std::size_t>(2, best.size()));
        CHECK(std::equal(few.begin(), few.end(), best.begin()));
        ranges += found.size();
        peaks += best.size();
      }
  }
  CHECK(ranges > 100);
  CHECK(peaks > 30);
}

TEST_CASE("what does not split has no sizes", "[clusters][sizes]") {
  const MadeTree made = make_tree(60, 4);
  CHECK(size_ranges(condense(made.dendrogram, made.height, 40), 39).empty());
  CHECK(size_ranges(condense(hierarchy::Dendrogram{}, {}, 2), 1).empty());
  CHECK(most_persistent({}, 3).empty());
}

TEST_CASE("the size of a range is whole where one of its sizes is", "[clusters][sizes]") {
  CHECK(SizeRange{4, 9, 0, 0}.usual_size() == 5);
  CHECK(SizeRange{4, 5, 0, 0}.usual_size() == 5);
  CHECK(SizeRange{4.5, 9, 0, 0}.usual_size() == 5);
  CHECK(SizeRange{4.25, 4.75, 0, 0}.usual_size() == 4.75);
}

TEST_CASE("weights in units of their mean", "[clusters][weights]") {
  for (const double one : {1., 0.1, 1e-300, 3e300, 7.123e10}) {
    const PointWeights weights = weights_in_means(std::vector<double>(1'000'003, one));
    CHECK(weights.mean == Approx(one).epsilon(1e-14));
    CHECK(std::all_of(weights.of.begin(), weights.of.end(), [](double w) { return w == 1; }));
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 3);
  std::vector<double> values;
  for (int k = 0; k < 5000; ++k) values.push_back(k % 7 == 0 ? 0 : std::pow(uniform(random), 8));
  const PointWeights weights = weights_in_means(values);
  // Half of a unit of 2⁻³², and what the mean is rounded by.
  for (std::size_t k = 0; k < values.size(); ++k)
    CHECK(std::abs(weights.of[k] - values[k] / weights.mean) <=
          0x1p-33 + 1e-14 * values[k] / weights.mean);
  // Sums are the same in any order.
  std::vector<double> turned(weights.of.rbegin(), weights.of.rend());
  const double sum = std::accumulate(weights.of.begin(), weights.of.end(), 0.);
  CHECK(std::accumulate(turned.begin(), turned.end(), 0.) == sum);
  std::sort(turned.begin(), turned.end());
  CHECK(std::accumulate(turned.begin(), turned.end(), 0.) == sum);
  CHECK(sum == Approx(5000).epsilon(1e-6));
  for (const double bad : {-1., std::nan(""), HUGE_VAL})
    CHECK(test::message_of([&] {
            weights_in_means({1, 2, bad});
          }).find("point 2") != std::string::npos);
  CHECK(test::message_of([] {
          weights_in_means({0, 0});
        }).find("all weights are 0") != std::string::npos);
}
