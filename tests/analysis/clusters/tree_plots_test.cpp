// Plots of trees: each cut has as many clusters as a search through all pairs finds, and what is
// drawn of a condensed tree has the sizes and heights of its clusters.

#include "analysis/clusters/tree_plots.h"

#include "analysis/clusters/find_clusters.h"
#include "tests/catch.h"
#include "tests/oracles/slow_linkage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;

namespace {

constexpr double kStep = 1e-3;

struct Cloud {
  std::vector<std::uint32_t> x, y, z;

  test::SlowLinkage linkage() const {
    test::SlowLinkage slow;
    slow.count = x.size();
    for (std::size_t i = 0; i < slow.count; ++i)
      for (std::size_t j = 0; j < slow.count; ++j)
        slow.distance.push_back(kStep *
                                std::sqrt(squared(x, i, j) + squared(y, i, j) + squared(z, i, j)));
    return slow;
  }
  FoundClusters find(const ClustersOptions& options) const {
    ClusterPoints points;
    points.columns = {{x.data(), y.data(), z.data()}, x.size()};
    points.step = kStep;
    Progress progress;
    return find_clusters(points, options, compute::Device::cpu(), progress);
  }

 private:
  static double squared(const std::vector<std::uint32_t>& v, std::size_t i, std::size_t j) {
    const double d = double(v[i]) - double(v[j]);
    return d * d;
  }
};

// Clumps of several sizes on a background.
Cloud clumps(int clumps, std::size_t members) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 3000);
  std::uniform_real_distribution<double> uniform(1e5, 9e5);
  Cloud cloud;
  const auto add = [&](double a, double b, double c) {
    cloud.x.push_back(std::uint32_t(a));
    cloud.y.push_back(std::uint32_t(b));
    cloud.z.push_back(std::uint32_t(c));
  };
  for (int k = 0; k < clumps; ++k) {
    const double a = uniform(random), b = uniform(random), c = uniform(random);
    for (std::size_t i = 0; i < members + std::size_t(k); ++i)
      add(a + normal(random), b + normal(random), c + normal(random));
  }
  for (int i = 0; i < 100; ++i) add(uniform(random), uniform(random), uniform(random));
  return cloud;
}

const Plot& plot_named(const std::vector<Plot>& plots, const std::string& name) {
  const auto at =
      std::find_if(plots.begin(), plots.end(), [&](const Plot& plot) { return plot.name == name; });
  REQUIRE(at != plots.end());
  return *at;
}

// Of outlines, in points.
std::multiset<long> widths_of(const PlotLayer& layer, std::size_t points) {
  std::multiset<long> widths;
  double left = 2, right = -1, top = 0;
  for (const PlotPoint& point : layer.points) {
    if (std::isnan(point.x)) {
      widths.insert(std::lround((right - left) * double(points)));
      left = 2;
      right = -1;
      top = 0;
      continue;
    }
    if (top == 0) top = point.y;
    left = std::min(left, point.x);
    right = std::max(right, point.x);
    CHECK(point.y <= top);
    CHECK((point.x >= 0 && point.x <= 1));
  }
  return widths;
}

}  // namespace

TEST_CASE("each cut of the plot has the clusters that all pairs have", "[clusters][plots]") {
  const Cloud cloud = clumps(6, 30);
  const test::SlowLinkage slow = cloud.linkage();
  ClustersOptions options;
  options.linkage = Linkage::Single;
  const FoundClusters found = cloud.find(options);
  for (const std::uint64_t least : {1, 2, 5, 30}) {
    const Plot plot = cut_plot(found, least, 0.5);
    REQUIRE(plot.layers.size() == 2);
    const auto& counts = plot.layers[0].points;
    REQUIRE(counts.size() > 100);
    for (std::size_t k = 0; k < counts.size(); k += 8) {
      // Between two heights, for those of the plot are rounded.
      const double at = counts[k].x * (1 + 1e-12);
      const auto label = slow.components(at, least);
      std::map<std::uint32_t, int> members;
      for (const std::uint32_t l : label)
        if (l != ~0u) ++members[l];
      INFO("height " << at << ", " << least << " points or more");
      if (members.empty())
        CHECK(std::isnan(counts[k].y));
      else
        CHECK(counts[k].y == double(members.size()));
      int largest = 0;
      std::map<std::uint32_t, int> all;
      for (const std::uint32_t l : slow.components(at, 1)) largest = std::max(largest, ++all[l]);
      CHECK(plot.layers[1].points[k].y == largest);
    }
    CHECK(plot.layers[1].points.back().y == double(cloud.x.size()));
    REQUIRE(plot.marks.size() == 1);
    CHECK(plot.marks[0].at == Approx(0.1));
  }
  CHECK(condensed_tree_plots(found).empty());
}

TEST_CASE("clusters are drawn as wide as they have points, from their birth down",
          "[clusters][plots]") {
  const Cloud cloud = clumps(6, 30);
  ClustersOptions options;
  options.min_cluster_size = 10;
  const FoundClusters found = cloud.find(options);
  REQUIRE(found.count() >= 6);
  const auto plots = condensed_tree_plots(found);
  const Plot& icicle = plot_named(plots, "condensed_tree");
  REQUIRE(icicle.layers.size() == 2);
  const auto& tree = *found.condensed;
  std::multiset<long> expected;
  const std::multiset<long> widths = widths_of(icicle.layers[1], cloud.x.size());
  for (const std::uint32_t node : found.node) expected.insert(tree.size[node]);
  CHECK(widths == expected);

  const Plot& dendrogram = plot_named(plots, "dendrogram");
  std::multiset<double> tops, births;
  const auto& drawn = dendrogram.layers[1].points;
  for (std::size_t k = 0; k < drawn.size(); k += 3) {
    tops.insert(drawn[k].y);
    CHECK(drawn[k].x == drawn[k + 1].x);
    CHECK(drawn[k].y >= drawn[k + 1].y);
  }
  for (const std::uint32_t node : found.node) births.insert(1 / tree.birth[node]);
  CHECK(tops == births);
}

TEST_CASE("of many clusters the largest are drawn, and that is said", "[clusters][plots]") {
  const Cloud cloud = clumps(90, 12);
  ClustersOptions options;
  options.min_cluster_size = 5;
  const FoundClusters found = cloud.find(options);
  REQUIRE(found.count() > 60);
  const auto plots = condensed_tree_plots(found);
  const Plot& dendrogram = plot_named(plots, "dendrogram");
  CHECK(dendrogram.caption.find("60 largest of") != std::string::npos);
  // Each begins at its own birth and is as wide as it was then.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> largest;
  for (std::size_t k = 0; k < found.count(); ++k)
    largest.push_back({found.members[k], found.node[k]});
  std::sort(largest.begin(), largest.end(), [](const auto& p, const auto& q) {
    return p.first != q.first ? p.first > q.first : p.second < q.second;
  });
  largest.resize(60);
  const auto& tree = *found.condensed;
  std::multiset<double> tops, births;
  std::multiset<long> widths, sizes;
  const auto& drawn = dendrogram.layers[1].points;
  REQUIRE(drawn.size() == 60 * 3);
  for (std::size_t k = 0; k < drawn.size(); k += 3) tops.insert(drawn[k].y);
  for (const auto& [members, node] : largest) {
    births.insert(1 / tree.birth[node]);
    sizes.insert(long(tree.size[node]));
  }
  CHECK(tops == births);
  CHECK((widths_of(plot_named(plots, "condensed_tree").layers[1], cloud.x.size()) == sizes));
}

TEST_CASE("trees without heights have empty plots", "[clusters][plots]") {
  Cloud cloud;
  cloud.x = cloud.y = cloud.z = std::vector<std::uint32_t>(30, 7);
  const FoundClusters found = cloud.find({});
  CHECK(cut_plot(found, 5, {}).layers.empty());
  for (const Plot& plot : condensed_tree_plots(found)) CHECK(plot.layers.empty());
}
