// Condensing and labeling where the tree is, against the plain versions on the host, to the bit.

#include "compute/clusters/cluster_tree.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;

namespace {

constexpr double kStep = 1e-6;

using Columns = std::vector<std::vector<std::uint32_t>>;

LatticePoints view(const Columns& columns) {
  LatticePoints points;
  for (const auto& column : columns) points.column.push_back(column.data());
  points.count = columns.front().size();
  return points;
}

// Clumps of many sizes in a background; a tenth of the points stand where others do.
Columns clumps(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Columns columns(3);
  std::uint32_t center[3] = {0, 0, 0}, width = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 60 == 0) {
      for (auto& c : center) c = std::uint32_t(random() >> 2);
      width = 1u << (8 + random() % 16);
    }
    const bool field = random() % 5 == 0, copied = i > 0 && random() % 10 == 0;
    for (int a = 0; a < 3; ++a) {
      std::uint32_t at = field ? std::uint32_t(random() >> 2) : center[a] + random() % width;
      if (copied) at = columns[std::size_t(a)].back();
      columns[std::size_t(a)].push_back(at);
    }
  }
  return columns;
}

// Distances grow along a line, so that one cluster gains point by point, or clump by clump.
Columns line(std::size_t count, std::uint32_t every) {
  Columns columns(1);
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < count; ++i)
    columns[0].push_back(at += i % every == 0 ? std::uint32_t(1000 + 7 * i) : 3);
  return columns;
}

Columns lattice(std::uint32_t side) {
  Columns columns(2);
  for (std::uint32_t i = 0; i < side * side; ++i) {
    columns[0].push_back(i % side * 1000);
    columns[1].push_back(i / side * 1000);
  }
  return columns;
}

void require_equal(const ClusterTotals& totals, const ClusterTotals& expected) {
  CHECK(totals.parent == expected.parent);
  CHECK(totals.size == expected.size);
  CHECK(totals.birth == expected.birth);
  CHECK(totals.death == expected.death);
  CHECK(totals.stability == expected.stability);
}

void require_equal(const HdbscanClusters& found, const HdbscanClusters& expected) {
  CHECK(found.cluster == expected.cluster);
  CHECK((found.label == expected.label));
  CHECK((found.probability == expected.probability));
  CHECK((found.outlier_score == expected.outlier_score));
  CHECK(found.persistence == expected.persistence);
}

std::vector<HdbscanSettings> selections() {
  std::vector<HdbscanSettings> all(6);
  all[1].selection = Selection::Leaf;
  all[2].allow_single_cluster = true;
  all[3].epsilon = 2;
  all[4].allow_single_cluster = true;
  all[4].epsilon = 40;
  all[5].max_cluster_size = 30;
  return all;
}

void compare(ClusterTree& tree, std::uint32_t least) {
  CAPTURE(least);
  std::vector<double> height;
  for (const std::uint64_t squared : tree.spanning_tree().squared_weight)
    height.push_back(std::sqrt(double(squared)) * kStep);
  const CondensedTree expected = condense(tree.dendrogram(), height, least);
  const ClusterTotals totals = tree.condense(least, kStep);
  require_equal(totals, totals_of(expected));
  const CondensedTree condensed = tree.last_condensed();
  CHECK((condensed.point_cluster == expected.point_cluster));
  CHECK((condensed.point_lambda == expected.point_lambda));
  for (const HdbscanSettings& settings : selections()) {
    const HdbscanClusters by_hand = select_clusters(expected, settings);
    CHECK(tree.label(choose_clusters(totals, settings)) == by_hand.cluster.size());
    require_equal(tree.last_labels(), by_hand);
  }
}

}  // namespace

TEST_CASE("trees are condensed and points labeled as on the host", "[clusters]") {
  for (const Device device : test::devices()) {
    CAPTURE(device.word());
    Progress progress;
    const auto tree = make_cluster_tree(device, progress);
    std::vector<Columns> sets{lattice(30),
                              line(700, 1),
                              line(900, 6),
                              line(3, 1),
                              line(2, 1),
                              line(1, 1),
                              Columns(3, std::vector<std::uint32_t>(300, 5))};
    for (const unsigned seed : {1u, 2u, 3u})
      sets.push_back(clumps(test::sized<std::size_t>(6000, 1500), seed));
    for (const Columns& columns : sets) {
      CAPTURE(columns.size(), columns.front().size());
      for (const int min_samples : {1, 4}) {
        if (columns.front().size() < std::size_t(min_samples)) continue;
        tree->grow(view(columns), {min_samples});
        for (const std::uint32_t least : {2u, 5u, 40u, 100000u}) compare(*tree, least);
      }
    }
  }
}

TEST_CASE("a tree that is condensed needs a least size of two", "[clusters]") {
  Progress progress;
  const auto tree = make_cluster_tree(Device::cpu(), progress);
  const Columns columns = line(20, 1);
  tree->grow(view(columns), {1});
  CHECK_THROWS_AS(tree->condense(1, kStep), Error);
  CHECK(tree->condense(2, kStep).clusters() > 0);
}
