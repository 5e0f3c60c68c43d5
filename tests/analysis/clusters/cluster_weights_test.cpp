// Clusters by weights, and of a size that is chosen from the tree: of tables and of snapshots,
// against sets of points that are taken apart edge by edge.

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/mass_weights.h"
#include "analysis/clusters/table_clusters.h"
#include "analysis/clusters/table_weights.h"
#include "analysis/finder.h"
#include "compute/clusters/point_weights.h"
#include "core/labels.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/made/npy_files.h"
#include "tests/made/resident_points.h"
#include "tests/made/size.h"
#include "tests/made/snapshot_files.h"
#include "tests/oracles/slow_condensing.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::FoundClusters;
using haloscope::test::SlowCondensedTree;
using haloscope::test::SlowEdge;
using haloscope::test::SlowSizes;

namespace {

using Sets = std::set<std::vector<std::uint32_t>>;

// Clumps of three sizes on a plane, and a third number for each point.
io::PointTable make_clumps(std::size_t rows, unsigned seed, bool equal = false) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 0.2);
  std::uniform_real_distribution<double> uniform(0, 10);
  io::PointTable table{"points.npy", rows, 3, Array<double>(3 * rows)};
  double at[2] = {0, 0};
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % 20 == 0)
      for (double& c : at) c = uniform(random);
    const bool field = random() % 6 == 0;
    for (std::size_t c = 0; c < 2; ++c)
      table.values[3 * row + c] = field ? uniform(random) : at[c] + normal(random);
    table.values[3 * row + 2] = equal ? 0.1 : double(random() % 40) * 0.37;
  }
  return table;
}

// The first two columns.
io::PointTable plane_of(const io::PointTable& table) {
  io::PointTable plane{table.path, table.rows, 2, Array<double>(2 * table.rows)};
  for (std::size_t row = 0; row < table.rows; ++row)
    for (std::size_t c = 0; c < 2; ++c) plane.values[2 * row + c] = table.at(row, c);
  return plane;
}

analysis::TableClusters find_rows(const io::PointTable& table, const ClustersOptions& options) {
  Progress progress;
  return analysis::find_table_clusters(table, options, {}, compute::Device::cpu(), progress);
}

std::string refused(const io::PointTable& table, const ClustersOptions& options) {
  return test::message_of([&] { find_rows(table, options); });
}

std::shared_ptr<const analysis::Finding> find_particles(const io::SnapshotReader& reader,
                                                        const ClustersOptions& options) {
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  return analysis::find_in(reader, "clusters", options, request, progress);
}

std::vector<SlowEdge> edges_of(const analysis::ClusterHierarchy& hierarchy) {
  std::vector<SlowEdge> edges;
  for (std::size_t e = 0; e < hierarchy.height.size(); ++e)
    edges.push_back({hierarchy.tree.a[e], hierarchy.tree.b[e], hierarchy.height[e]});
  return edges;
}

Sets sets_of_labels(const std::vector<std::uint32_t>& label) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> sets;
  for (std::uint32_t p = 0; p < label.size(); ++p)
    if (label[p] != Labels::kNone) sets[label[p]].push_back(p);
  Sets all;
  for (const auto& [number, points] : sets) all.insert(points);
  return all;
}

Sets leaves_of(const SlowCondensedTree& tree) {
  Sets leaves;
  for (const std::size_t c : tree.leaves()) {
    std::vector<std::uint32_t> points = tree.clusters[c].points;
    std::sort(points.begin(), points.end());
    leaves.insert(points);
  }
  return leaves;
}

// The first of the ranges with the highest persistence.
const SlowSizes::Range& best_of(const SlowSizes& sizes) {
  return *std::max_element(
      sizes.ranges.begin(), sizes.ranges.end(),
      [](const auto& p, const auto& q) { return p.persistence < q.persistence; });
}

ClustersOptions chosen_size() {
  ClustersOptions options;
  options.min_cluster_size = ClustersOptions::kAutoSize;
  return options;
}

// Dark matter of these masses in two clumps.
void write_masses(const std::string& path, const std::vector<float>& masses) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.3);
  std::vector<double> at;
  for (std::size_t k = 0; k < masses.size(); ++k)
    for (int axis = 0; axis < 3; ++axis) at.push_back((k % 2 == 0 ? 3 : 7) + normal(random));
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {0, std::uint32_t(masses.size()), 0, 0, 0, 0}, 0);
  file.group("PartType1").dataset("PartType1/Coordinates", {masses.size(), 3}, at);
  file.dataset("PartType1/Masses", {masses.size()}, masses);
}

}  // namespace

TEST_CASE("rows of a table count by a column", "[clusters][weights]") {
  const io::PointTable table = make_clumps(300, 4);
  ClustersOptions options;
  options.weights = "2";
  options.min_cluster_size = 6;
  options.selection = compute::clusters::Selection::Leaf;
  const analysis::TableClusters found = find_rows(table, options);
  const FoundClusters& clusters = found.clusters;
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows; ++row) values.push_back(table.at(row, 2));
  const auto weights = compute::clusters::weights_in_means(values);
  const auto& hierarchy = *clusters.hierarchy;
  const SlowCondensedTree slow(edges_of(hierarchy), weights.of, 6);
  CHECK((sets_of_labels(clusters.label) == leaves_of(slow)));
  CHECK(clusters.count() > 3);
  CHECK(clusters.condensed->clusters() == slow.clusters.size());
  CHECK(clusters.mean_weight == Approx(weights.mean));
  for (std::size_t c = 0; c < clusters.count(); ++c) CHECK(clusters.weight[c] >= 6);
  CHECK(clusters.condensed->weight[0] == Approx(double(table.rows)).epsilon(1e-6));
  CHECK(found.summary.find("clusters of 6 mean weights or more") != std::string::npos);
  CHECK(std::get<double>(found.provenance.parameters.at("mean weight")) == Approx(weights.mean));
  CHECK(found.catalog.tables.front().find("GroupWeight")->value(0) == clusters.weight[0]);
  // Places are the other columns', and core distances do not count by weights.
  ClustersOptions plain = options;
  plain.weights.clear();
  const analysis::TableClusters unweighted = find_rows(plane_of(table), plain);
  CHECK(unweighted.clusters.hierarchy->height == hierarchy.height);
  CHECK(unweighted.clusters.label != clusters.label);
  CHECK(unweighted.catalog.tables.front().find("GroupWeight") == nullptr);
  const auto rows = analysis::condensed_rows(*clusters.condensed);
  REQUIRE(rows.weight.size() == rows.size.size());
  CHECK(rows.weight.back() == weights.of.back());
}

// Sums of n terms round by n · 2⁻⁵³ of them at most; those without weights are exact.
static void check_close(const std::vector<double>& values, const std::vector<double>& expected,
                        std::size_t terms) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    CHECK(values[k] == Approx(expected[k]).epsilon(double(terms) * 0x1p-52));
}

TEST_CASE("equal weights change nothing, whatever their unit", "[clusters][weights]") {
  const io::PointTable table = make_clumps(300, 6, true);
  for (const bool chosen : {false, true}) {
    ClustersOptions options = chosen ? chosen_size() : ClustersOptions{};
    const FoundClusters plain = find_rows(plane_of(table), options).clusters;
    options.weights = "2";
    const FoundClusters weighted = find_rows(table, options).clusters;
    CHECK(weighted.label == plain.label);
    CHECK(weighted.probability == plain.probability);
    CHECK(weighted.outlier_score == plain.outlier_score);
    check_close(weighted.persistence, plain.persistence, std::size_t(table.rows));
    CHECK(weighted.least == plain.least);
    REQUIRE(weighted.count() == plain.count());
    for (std::size_t c = 0; c < plain.count(); ++c)
      CHECK(weighted.weight[c] == double(plain.members[c]));
  }
}

TEST_CASE("the chosen size has the leaf clusters that persist most", "[clusters][sizes]") {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const bool weighted : {false, true}) {
      CAPTURE(seed, weighted);
      const io::PointTable table = make_clumps(test::sized<std::size_t>(120, 80), seed);
      ClustersOptions options = chosen_size();
      options.min_samples = 3;
      options.resolutions = 4;
      if (weighted) options.weights = "2";
      const auto found =
          find_rows(weighted ? make_clumps(table.rows, seed) : plane_of(table), options);
      const FoundClusters& clusters = found.clusters;
      const auto& hierarchy = *clusters.hierarchy;
      std::vector<double> weights(table.rows, 1);
      if (weighted) {
        for (std::size_t row = 0; row < table.rows; ++row) weights[row] = table.at(row, 2);
        weights = compute::clusters::weights_in_means(weights).of;
      }
      // Sizes of fewer points than make a core point are not tried.
      const SlowSizes slow(edges_of(hierarchy), weights, 2);
      const SlowSizes::Range& best = best_of(slow);
      CHECK((sets_of_labels(clusters.label) == best.leaves));
      REQUIRE(clusters.sizes);
      const analysis::SizeChoice& sizes = *clusters.sizes;
      REQUIRE(!sizes.resolutions.empty());
      const analysis::SizeResolution& first = sizes.resolutions.front();
      CHECK(first.size == clusters.least);
      CHECK(first.range.above == best.above);
      CHECK(first.range.persistence == best.persistence);
      REQUIRE(clusters.resolutions.size() == sizes.resolutions.size());
      CHECK(clusters.resolutions.front() == clusters.label);
      CHECK(sizes.resolutions.size() <= 4);
      for (std::size_t k = 0; k < clusters.resolutions.size(); ++k) {
        const analysis::SizeResolution& one = sizes.resolutions[k];
        CHECK((sets_of_labels(clusters.resolutions[k]) ==
               leaves_of(SlowCondensedTree(edges_of(hierarchy), weights, one.size))));
        CHECK(one.clusters == sets_of_labels(clusters.resolutions[k]).size());
        if (k > 0) CHECK(one.range.persistence <= sizes.resolutions[k - 1].range.persistence);
      }
      CHECK(std::get<std::string>(found.provenance.parameters.at("selection")) == "leaf");
      CHECK(found.summary.find(" was chosen, and all sizes up to ") != std::string::npos);
      // The size itself gives the same, where it is whole.
      if (weighted) continue;
      ClustersOptions given = options;
      given.resolutions.reset();
      given.min_cluster_size = std::uint64_t(clusters.least);
      given.selection = compute::clusters::Selection::Leaf;
      const FoundClusters again = find_rows(plane_of(table), given).clusters;
      CHECK(again.label == clusters.label);
      CHECK(again.probability == clusters.probability);
      CHECK(again.persistence == clusters.persistence);
      CHECK(std::get<std::int64_t>(found.provenance.parameters.at("minimum cluster size")) ==
            std::int64_t(clusters.least));
    }
}

TEST_CASE("no size is chosen where nothing splits", "[clusters][sizes]") {
  std::vector<double> line;
  for (int k = 0; k < 30; ++k) line.push_back(k * 1000 + k * k);
  io::PointTable table{"points.npy", 30, 1, Array<double>(30)};
  std::copy(line.begin(), line.end(), table.values.begin());
  ClustersOptions options = chosen_size();
  options.resolutions = 3;
  const auto found = find_rows(table, options);
  CHECK(found.clusters.count() == 0);
  CHECK(found.clusters.resolutions.empty());
  CHECK(found.clusters.sizes->ranges.empty());
  CHECK(found.summary.find("nothing splits at any size") != std::string::npos);
}

TEST_CASE("clusters by weights are the same on any number of threads", "[clusters][weights]") {
  const io::PointTable table = make_clumps(test::sized<std::size_t>(20000, 3000), 8);
  ClustersOptions options = chosen_size();
  options.weights = "2";
  options.resolutions = 5;
  std::vector<FoundClusters> all;
  for (const std::size_t threads : {std::size_t(1), std::size_t(2), std::size_t(16)}) {
    const ::tbb::global_control limit(::tbb::global_control::max_allowed_parallelism, threads);
    all.push_back(find_rows(table, options).clusters);
  }
  for (const FoundClusters& one : all) {
    CHECK(one.label == all[0].label);
    CHECK(one.weight == all[0].weight);
    CHECK(one.persistence == all[0].persistence);
    CHECK(one.resolutions == all[0].resolutions);
    CHECK(one.least == all[0].least);
    CHECK(one.condensed->weight == all[0].condensed->weight);
  }
}

TEST_CASE("columns of weights are named or numbered", "[clusters][weights]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("t.csv");
  test::put_bytes(path, "x,y,flux\n1,2,3\n4,5,6\n7,8,0\n");
  Progress progress;
  const io::PointTable table = io::read_point_table(path, progress);
  for (const char* column : {"flux", "2"}) {
    const analysis::WeightedTable split = analysis::take_weights(table, column);
    CHECK(split.weights == std::vector<double>{3, 6, 0});
    CHECK(std::vector<double>(split.points.values.begin(), split.points.values.end()) ==
          std::vector<double>{1, 2, 4, 5, 7, 8});
    CHECK(split.points.columns == 2);
  }
  CHECK(analysis::take_weights(table, "x").weights == std::vector<double>{1, 4, 7});
  const auto says = [&](const io::PointTable& of, const std::string& column) {
    return test::message_of([&] { analysis::take_weights(of, column); });
  };
  CHECK(says(table, "mass").find("no column 'mass'") != std::string::npos);
  CHECK(says(table, "mass").find("x, y, flux") != std::string::npos);
  CHECK(says(table, "3").find("no column 3 among 3") != std::string::npos);
  test::put_bytes(folder.path("odd.csv"), "x,y\n1,2,3\n4,5,6\n");
  CHECK(says(io::read_point_table(folder.path("odd.csv"), progress), "y").find("give its number") !=
        std::string::npos);
  const auto made = [](std::vector<double> values, std::size_t columns) {
    io::PointTable one{"t.npy", values.size() / columns, columns, Array<double>(values.size())};
    std::copy(values.begin(), values.end(), one.values.begin());
    return one;
  };
  CHECK(says(made({1, 2, 3}, 1), "0").find("only column") != std::string::npos);
  CHECK(says(made({1, 2, 3, -4}, 2), "1").find("row 1, counted from 0, has the weight -4") !=
        std::string::npos);
  CHECK(says(made({1, 0, 3, 0}, 2), "1").find("all weights are 0") != std::string::npos);
  CHECK(says(made({1, 0, 3, 0}, 2), "flux").find("give its number") != std::string::npos);
}

TEST_CASE("a scale has a number for each column but that of weights", "[clusters][weights]") {
  const io::PointTable table = make_clumps(200, 3);
  ClustersOptions options;
  options.weights = "2";
  options.scale = "2,2";
  ClustersOptions plain = options;
  plain.scale.clear();
  CHECK(find_rows(table, options).clusters.label == find_rows(table, plain).clusters.label);
  options.scale = "2,2,2";
  CHECK(refused(table, options).find("3 numbers for 2 columns") != std::string::npos);
}

TEST_CASE("particles count by their masses", "[clusters][weights]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  ClustersOptions options;
  options.types = {"gas", "dm"};
  options.weights = "mass";
  options.min_cluster_size = 38;
  options.selection = compute::clusters::Selection::Leaf;
  const auto found = find_particles(*reader, options);
  // Gas comes first, half as heavy as dark matter.
  std::vector<double> masses(28, 1);
  masses.resize(508, 2);
  const auto weights = compute::clusters::weights_in_means(masses);
  const SlowCondensedTree slow(edges_of(*found->hierarchy), weights.of, 38);
  std::vector<std::uint32_t> label = found->labels->of.at(0);
  label.insert(label.end(), found->labels->of.at(1).begin(), found->labels->of.at(1).end());
  CHECK((sets_of_labels(label) == leaves_of(slow)));
  CHECK(found->pieces >= 3);
  const HaloTable& groups = found->catalog.tables.front();
  for (std::uint64_t c = 0; c < found->pieces; ++c)
    CHECK(groups.find("GroupWeight")->value(c) * weights.mean ==
          Approx(groups.find("GroupMass")->value(c)).epsilon(1e-6));
  CHECK(found->columns.back().title == "Weight");
  // Only the labels: masses are read for them alone.
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.only_labels = true;
  const auto bare = analysis::find_in(*reader, "clusters", options, request, progress);
  CHECK((bare->labels->of == found->labels->of));
  // Masses of resident particles are read too.
  request.resident = test::resident_points(*reader, {0, 1}, request.device);
  CHECK((analysis::find_in(*reader, "clusters", options, request, progress)->labels->of ==
         found->labels->of));
}

TEST_CASE("masses are read for the labels alone too", "[clusters][weights]") {
  const test::OutputFolder folder;
  // Of two clumps of 30 one is too light for a cluster of 20 mean masses: nothing splits.
  std::vector<float> masses;
  for (int k = 0; k < 60; ++k) masses.push_back(k % 2 == 0 ? 3.f : 0.25f);
  write_masses(folder.path("snap.hdf5"), masses);
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  for (const bool weighted : {false, true}) {
    ClustersOptions options;
    if (weighted) options.weights = "mass";
    Progress progress;
    analysis::FindRequest request;
    request.device = compute::Device::cpu();
    request.only_labels = true;
    CHECK(analysis::find_in(*reader, "clusters", options, request, progress)->pieces ==
          (weighted ? 0 : 2));
    CHECK(find_particles(*reader, options)->pieces == (weighted ? 0 : 2));
  }
}

TEST_CASE("masses are those of a table of types or of each particle", "[clusters][weights]") {
  ParticleColumns dark, gas;
  dark.name = "dm";
  dark.count = 2;
  dark.uniform_mass = 4;
  gas.name = "gas";
  gas.count = 3;
  gas.mass = Array<float>(3);
  std::fill(gas.mass.begin(), gas.mass.end(), 0.5f);
  CHECK(analysis::mass_weights({&gas, &dark}) == std::vector<double>{0.5, 0.5, 0.5, 4, 4});
  // Rows that were left out while reading count where one is told.
  gas.mass[1] = -1;
  gas.rejected_rows = {0, 2, 4};
  CHECK(test::message_of([&] { analysis::mass_weights({&gas}); }).find("row 3 of gas") !=
        std::string::npos);
}

TEST_CASE("labels of further sizes are those of a snapshot's rows", "[clusters][sizes]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  ClustersOptions options = chosen_size();
  options.resolutions = 3;
  const auto found = find_particles(*reader, options);
  REQUIRE(!found->resolutions.empty());
  REQUIRE(found->resolutions.size() == found->sizes->resolutions.size());
  CHECK((found->resolutions.front().of == found->labels->of));
  for (std::size_t k = 0; k < found->resolutions.size(); ++k) {
    ClustersOptions given;
    given.min_cluster_size = std::uint64_t(found->sizes->resolutions[k].size);
    given.selection = compute::clusters::Selection::Leaf;
    const auto expected = find_particles(*reader, given);
    CHECK((expected->labels->of == found->resolutions[k].of));
    CHECK(expected->pieces == found->resolutions[k].pieces);
  }
  // Without the option there is one.
  options.resolutions.reset();
  const auto one = find_particles(*reader, options);
  CHECK(one->resolutions.empty());
  CHECK(one->sizes->resolutions.size() == 1);
  CHECK((one->labels->of == found->labels->of));
}

TEST_CASE("masses that cannot be weights get their sentence", "[clusters][weights]") {
  const test::OutputFolder folder;
  const auto message = [&](const std::vector<float>& masses, const std::string& weights) {
    const std::string path = folder.path("snap" + std::to_string(masses.size()) + ".hdf5");
    write_masses(path, masses);
    const auto reader = io::open_snapshot(path);
    ClustersOptions options;
    options.weights = weights;
    return test::message_of([&] { find_particles(*reader, options); });
  };
  std::vector<float> masses(40, 1.f);
  CHECK(message(masses, "mass").empty());
  CHECK(message(masses, "flux").find("use mass") != std::string::npos);
  masses.push_back(-2);
  CHECK(message(masses, "mass").find("row 40 of dm, counted from 0, has the mass -2") !=
        std::string::npos);
  masses.assign(42, 1.f);
  masses[3] = float(std::nan(""));
  CHECK(message(masses, "mass").find("row 3 of dm") != std::string::npos);
  CHECK(message(std::vector<float>(43, 0.f), "mass").find("masses") != std::string::npos);
  const std::string path = folder.path("none.hdf5");
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {0, 40, 0, 0, 0, 0}, 0);
    std::vector<double> at;
    for (int k = 0; k < 120; ++k) at.push_back(k * k % 17);
    file.group("PartType1").dataset("PartType1/Coordinates", {40, 3}, at);
  }
  const auto reader = io::open_snapshot(path);
  ClustersOptions options;
  options.weights = "mass";
  CHECK(test::message_of([&] {
          find_particles(*reader, options);
        }).find("does not tell the masses of dm") != std::string::npos);
}
