// Cuts of cluster trees are friends-of-friends groups and DBSCAN's core points, at every length.

#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/clustering.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/plain_cut.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;
namespace hierarchy = haloscope::compute::hierarchy;

namespace {

using Columns = std::array<std::vector<std::uint32_t>, 3>;

// Halos in a periodic box, some of them across its sides.
Columns halos(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Columns columns;
  std::array<double, 3> center{};
  double radius = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 60 == 0) {
      for (double& c : center) c = uniform(random);
      radius = 0.02 * uniform(random);
    }
    const bool field = random() % 4 == 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double at = field ? uniform(random) : center[a] + radius * (uniform(random) - 0.5);
      columns[a].push_back(std::uint32_t(std::int64_t((at - std::floor(at)) * 4294967295.0)));
    }
  }
  return columns;
}

// The smallest point of each point's group.
std::vector<std::uint32_t> groups(const Columns& points, double length, int min_points) {
  const auto clustering = make_clustering(Device::cpu());
  clustering->set_points({{0, 0, 0}, 1, true},
                         {points[0].data(), points[1].data(), points[2].data()}, points[0].size());
  ClusterSettings settings;
  settings.linking_length = length;
  settings.min_points = min_points;
  Timings timings;
  clustering->run(settings, timings);
  return clustering->labels();
}

}  // namespace

TEST_CASE("cuts at a linking length are what friends-of-friends finds", "[clusters]") {
  const std::size_t count = test::sized<std::size_t>(20'000, 3000);
  const Columns points = halos(count, 1);
  for (const int min_points : {2, 5})
    for (const Device device : test::devices()) {
      CAPTURE(device, min_points);
      Progress progress;
      const auto tree = make_cluster_tree(device, progress);
      // Two points are friends whatever their other neighbors.
      tree->grow({{points[0].data(), points[1].data(), points[2].data()}, count},
                 {min_points == 2 ? 1 : min_points});
      const SpanningTree edges = tree->spanning_tree();
      const hierarchy::Dendrogram dendrogram = tree->dendrogram();
      for (const double spacings : {0.02, 0.1, 0.2, 0.5, 0.9}) {
        const double length = spacings / std::cbrt(double(count));
        const double reach = length * 4294967296.0;
        const auto ranks =
            std::uint32_t(std::upper_bound(edges.squared_weight.begin(), edges.squared_weight.end(),
                                           std::uint64_t(reach * reach)) -
                          edges.squared_weight.begin());
        const auto cut = test::plain_cut(dendrogram, ranks);
        const hierarchy::FlatCut flat = hierarchy::flat_cut(dendrogram, ranks, 3);
        CHECK(tree->cut(ranks, 3) == flat.members.size());
        CHECK((tree->last_cut().label == flat.label));
        CHECK((tree->last_cut().members == flat.members));
        const auto expected = groups(points, length, min_points);
        std::vector<std::uint32_t> size(count, 0), smallest_core(count, ~0u);
        for (const std::uint32_t c : cut) ++size[c];
        std::size_t grouped = 0, wrong = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          // Friends of nobody are in no group; of DBSCAN's, border points are in no component.
          const bool is_core = edges.squared_core.empty()
                                   ? size[cut[i]] > 1
                                   : edges.squared_core[i] <= std::uint64_t(reach * reach);
          if (!is_core) {
            wrong += edges.squared_core.empty() && expected[i] != kNoise;
            continue;
          }
          ++grouped;
          if (smallest_core[cut[i]] == ~0u) smallest_core[cut[i]] = expected[i];
          wrong += expected[i] == kNoise || smallest_core[cut[i]] != expected[i];
        }
        CAPTURE(spacings, grouped);
        CHECK(grouped > 0);
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("trees of points that are on the device already", "[clusters]") {
  const std::size_t count = 3000;
  const Columns points = halos(count, 2);
  const std::array<const std::uint32_t*, 3> columns{points[0].data(), points[1].data(),
                                                    points[2].data()};
  for (const Device device : test::devices()) {
    CAPTURE(device);
    Progress progress;
    const auto tree = make_cluster_tree(device, progress);
    tree->grow({{columns[0], columns[1], columns[2]}, count}, {4});
    const SpanningTree expected = tree->spanning_tree();
    // One set, and two whose rows follow one another.
    for (const std::size_t split : {count, std::size_t(1100)}) {
      std::vector<std::shared_ptr<const haloscope::compute::spatial::PointSet>> sets;
      const Domain domain{{0, 0, 0}, 1, true};
      sets.push_back(haloscope::compute::spatial::place_points(device, domain, columns, split));
      if (split < count)
        sets.push_back(haloscope::compute::spatial::place_points(
            device, domain, {columns[0] + split, columns[1] + split, columns[2] + split},
            count - split));
      tree->grow(std::move(sets), {4});
      const SpanningTree found = tree->spanning_tree();
      CHECK((found.a == expected.a && found.b == expected.b));
      CHECK((found.squared_weight == expected.squared_weight));
      CHECK((found.squared_core == expected.squared_core));
    }
  }
}

TEST_CASE("a tree that was cancelled is none, and the next one is whole", "[clusters]") {
  const Columns points = halos(5000, 3);
  const LatticePoints view{{points[0].data(), points[1].data(), points[2].data()}, 5000};
  for (const Device device : test::devices()) {
    bool stops = false;
    Progress progress([&](const std::string& phase, double) {
      if (stops && phase == "dendrogram") throw Cancelled();
    });
    const auto tree = make_cluster_tree(device, progress);
    tree->grow(view, {});
    const auto expected = tree->spanning_tree().squared_weight;
    CHECK(expected.size() == 4999);
    stops = true;
    CHECK_THROWS_AS(tree->grow(view, {}), Cancelled);
    CHECK(tree->spanning_tree().points == 0);
    CHECK(tree->spanning_tree().a.empty());
    CHECK(tree->dendrogram().order.empty());
    stops = false;
    tree->grow(view, {});
    CHECK((tree->spanning_tree().squared_weight == expected));
    CHECK(tree->dendrogram().order.size() == 5000);
  }
}
