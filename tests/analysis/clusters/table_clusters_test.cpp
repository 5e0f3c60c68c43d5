// Clusters of rows of a table, against all pairs of them.

#include "analysis/clusters/table_clusters.h"

#include "analysis/clusters/table_lattice.h"
#include "analysis/option_parsing/option_error.h"
#include "core/labels.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/slow_linkage.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::Linkage;

namespace {

// Clumps and a background in a box of side 10; in a periodic one some lie across its sides, and
// some rows outside of it.
std::vector<double> clumps(std::size_t rows, std::size_t columns, unsigned seed, bool periodic) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 10);
  std::normal_distribution<double> normal(0, 0.15);
  std::vector<double> values, center(columns, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 50 == 49)
      for (double& c : center) c = periodic ? std::round(uniform(random) / 5) * 5 : uniform(random);
    const bool field = random() % 5 == 0;
    for (const double c : center) values.push_back(field ? uniform(random) : c + normal(random));
  }
  return values;
}

io::PointTable table_of(const std::vector<double>& values, std::size_t columns) {
  io::PointTable table{"points.npy", values.size() / columns, columns,
                       Array<double>(values.size())};
  std::copy(values.begin(), values.end(), table.values.begin());
  return table;
}

analysis::TableClusters find(const io::PointTable& table, const ClustersOptions& options,
                             std::optional<double> box = {},
                             compute::Device device = compute::Device::cpu()) {
  Progress progress;
  return analysis::find_table_clusters(table, options, box, device, progress);
}

std::string refusal(const io::PointTable& table, const ClustersOptions& options,
                    std::optional<double> box = {}) {
  return test::message_of([&] { find(table, options, box); });
}

}  // namespace

TEST_CASE("trees and cuts of tables are those of all pairs", "[clusters][tables]") {
  struct Case {
    std::size_t columns;
    bool periodic;
  };
  for (const Case one : {Case{1, false},
                         {1, true},
                         {2, false},
                         {2, true},
                         {3, false},
                         {3, true},
                         {4, false},
                         {5, false},
                         {6, false},
                         {8, false}})
    for (const int samples : {1, 4}) {
      const double box = one.periodic ? 10 : 0;
      CAPTURE(one.columns, box, samples);
      const auto values = clumps(test::sized<std::size_t>(400, 150), one.columns, 3, one.periodic);
      const io::PointTable table = table_of(values, one.columns);
      const auto slow = test::slow_linkage(values, one.columns, box, std::size_t(samples));
      const auto expected = slow.heights();
      for (const auto& device : test::devices()) {
        ClustersOptions options;
        options.linkage = samples == 1 ? Linkage::Single : Linkage::Hdbscan;
        if (samples > 1) options.min_samples = samples;
        options.cut = "count:3";
        const auto side = one.periodic ? std::optional<double>(box) : std::nullopt;
        const auto found = find(table, options, side, device);
        const auto& height = found.clusters.hierarchy->height;
        const double bound = 2 * found.clusters.hierarchy->step * std::sqrt(double(one.columns));
        REQUIRE(height.size() == expected.size());
        double worst = 0;
        for (std::size_t k = 0; k < height.size(); ++k)
          worst = std::max(worst, std::abs(height[k] - expected[k]));
        CHECK(worst <= bound);
        CHECK(found.clusters.count() == 3);
        CHECK((one.periodic || found.said.empty()));
        for (std::size_t k = 10; k + 1 < height.size(); k += 37) {
          if (expected[k + 1] - expected[k] < 4 * bound) continue;
          const double at = (expected[k] + expected[k + 1]) / 2;
          options.cut = fmt::format("distance:{}", at);
          options.min_cluster_size.reset();
          CHECK(find(table, options, side, device).clusters.label == slow.components(at));
          options.min_cluster_size = 5;
          CHECK(find(table, options, side, device).clusters.label == slow.components(at, 5));
        }
      }
    }
}

TEST_CASE("a cut by count is the components of so many edges less", "[clusters][tables]") {
  const auto values = clumps(200, 2, 5, false);
  const auto slow = test::slow_linkage(values, 2, 0, 1);
  const auto heights = slow.heights();
  ClustersOptions options;
  options.linkage = Linkage::Single;
  for (const std::size_t count : {1, 2, 17, 199, 200}) {
    options.cut = fmt::format("count:{}", count);
    const auto found = find(table_of(values, 2), options);
    CHECK(found.clusters.count() == count);
    const double at = count == 200 ? 0
                      : count == 1 ? HUGE_VAL
                                   : (heights[199 - count] + heights[200 - count]) / 2;
    CHECK(found.clusters.label == slow.components(at));
    CHECK(*found.clusters.cut_height ==
          Approx(count == 200 ? 0 : heights[199 - count]).epsilon(1e-6).margin(1e-12));
  }
}

TEST_CASE("mean spacings of a table are those of its box", "[clusters][tables]") {
  for (const std::size_t columns : {2, 3}) {
    const auto values = clumps(300, columns, 9, true);
    const auto slow = test::slow_linkage(values, columns, 10, 1);
    const double spacing = 10 / std::pow(300., 1 / double(columns));
    ClustersOptions options;
    options.linkage = Linkage::Single;
    options.cut = "spacings:0.31";
    const auto found = find(table_of(values, columns), options, 10.);
    CHECK(*found.clusters.cut_height == Approx(0.31 * spacing));
    CHECK(found.clusters.label == slow.components(0.31 * spacing));
  }
}

TEST_CASE("rows outside of a box are wrapped and counted", "[clusters][tables]") {
  const std::vector<double> values{0.5, 9.9, 10.5, -0.1, 5, 5, 25.5, 30, 10, 0};
  ClustersOptions options;
  options.linkage = Linkage::Single;
  options.cut = "distance:1";
  const auto found = find(table_of(values, 2), options, 10.);
  REQUIRE(found.said.size() == 1);
  CHECK(found.said[0] ==
        "The box given (--box) does not hold the rows: 2 of 5 lie outside its side of 10 and were "
        "wrapped among the others.");
  // Of (0.5, 9.9), (0.5, 9.9), (5, 5), (5.5, 0) and (0, 0).
  CHECK(found.clusters.label == std::vector<std::uint32_t>{0, 0, 1, 2, 0});
  const HaloTable& groups = found.catalog.tables.front();
  CHECK(groups.find("GroupLen")->value(0) == 3);
  CHECK(groups.find("GroupPos")->value(0, 0) == Approx(1. / 3));
  CHECK(groups.find("GroupPos")->value(0, 1) == Approx(9.9 + 0.1 / 3));
  CHECK(groups.find("GroupFarthestRad")->value(0) ==
        Approx(std::hypot(1. / 3, 0.1 * 2 / 3)).epsilon(1e-6));
  // Few rows, and those on the edge, are no sign of a wrong box.
  std::vector<double> grid;
  for (int i = 0; i <= 20; ++i)
    for (int k = 0; k <= 20; ++k) grid.insert(grid.end(), {i / 2., k / 2.});
  options.cut = "count:2";
  const auto edge = find(table_of(grid, 2), options, 10.);
  REQUIRE(edge.said.size() == 1);
  CHECK(edge.said[0].starts_with("41 of 441 rows lie on or outside the edge of the box"));
  // Without a box nothing is.
  CHECK(find(table_of(values, 2), options).said.empty());
}

TEST_CASE("HDBSCAN* of a table finds its clumps, and says how sure", "[clusters][tables]") {
  const auto values = clumps(600, 3, 21, false);
  ClustersOptions options;
  const auto found = find(table_of(values, 3), options);
  const auto& clusters = found.clusters;
  CHECK(clusters.count() >= 6);
  CHECK(clusters.persistence.size() == clusters.count());
  std::uint32_t next = 0;
  std::vector<std::uint64_t> members(std::size_t(clusters.count()), 0);
  for (std::size_t row = 0; row < 600; ++row) {
    const std::uint32_t label = clusters.label[row];
    CHECK((label == Labels::kNone) == (clusters.probability[row] == 0));
    if (label == Labels::kNone) continue;
    // Numbered by their first rows.
    CHECK(label <= next);
    next = std::max(next, label + 1);
    ++members[label];
  }
  CHECK(members == clusters.members);
  for (const std::uint64_t one : members) CHECK(one >= 20);
  CHECK(found.catalog.tables.front().find("GroupPersistence"));
  CHECK(found.summary.starts_with(fmt::format("{} clusters of 20 or more hold", clusters.count())));
}

TEST_CASE("rows at one place, one row and two rows have trees", "[clusters][tables]") {
  ClustersOptions options;
  options.min_samples = 1;
  CHECK(find(table_of({1, 2}, 2), options).clusters.label ==
        std::vector<std::uint32_t>{Labels::kNone});
  const auto two = find(table_of({1, 2, 3, 4}, 2), options);
  REQUIRE(two.clusters.hierarchy->height.size() == 1);
  CHECK(two.clusters.hierarchy->height[0] == Approx(std::sqrt(8.)).epsilon(1e-6));
  const auto same = find(table_of(std::vector<double>(300, 7.25), 3), ClustersOptions{});
  CHECK(same.clusters.hierarchy->height == std::vector<double>(99, 0));
  CHECK(same.clusters.count() == 0);
  REQUIRE(same.said.size() == 1);
  CHECK(same.said[0] == "All 100 rows lie at one place: no height tells them apart.");
  CHECK(std::get<std::string>(same.provenance.parameters.at("assumed")) == same.said[0]);
  options = {};
  options.linkage = Linkage::Single;
  options.cut = "distance:1";
  CHECK(find(table_of({1, 2}, 2), options).clusters.label == std::vector<std::uint32_t>{0});
}

TEST_CASE("rows closer than the lattice tells apart are counted", "[clusters][tables]") {
  ClustersOptions options;
  options.linkage = Linkage::Single;
  const auto found = find(table_of({0, 1e-12, 1, 1, 1e6}, 1), options);
  REQUIRE(found.said.size() == 1);
  CHECK(found.said[0].starts_with("1 of 5 rows lie within"));
}

TEST_CASE("rows that the lattice does not tell apart are counted whatever the linkage",
          "[clusters][tables]") {
  // Of each row a copy, and of every third one more that differs by less than a step; in mutual
  // reachability no edge has a weight of 0. No row lies in the middle of a column, where a step
  // begins.
  std::vector<double> values;
  for (int i = 0; i < 90; ++i) {
    const double x = i == 89 ? 1e6 : i + 0.3, y = i % 7 * (i % 7) + 0.1;
    values.insert(values.end(), {x, y, x, y});
    if (i % 3 == 0) values.insert(values.end(), {x + 1e-9, y - 1e-9});
  }
  for (const char* linkage : {"hdbscan", "single"}) {
    ClustersOptions options;
    options.linkage = std::string(linkage) == "single" ? Linkage::Single : Linkage::Hdbscan;
    const auto found = find(table_of(values, 2), options);
    REQUIRE(found.said.size() == 1);
    CHECK(found.said[0].starts_with("30 of 210 rows lie within"));
  }
  // Copies alone are at one place rightly.
  values.clear();
  for (int i = 0; i < 50; ++i) values.insert(values.end(), {i * 0.37, 5., i * 0.37, 5.});
  CHECK(find(table_of(values, 2), {}).said.empty());
  // Rows that were wrapped are rounded, and no others for that.
  values.clear();
  for (int i = 0; i < 300; ++i) values.insert(values.end(), {0.1 + i * 0.03, 0.1 + i * 0.03 + 10});
  const auto wrapped = find(table_of(values, 1), {}, 10.);
  REQUIRE(wrapped.said.size() == 1);
  CHECK(wrapped.said[0].find("--box") != std::string::npos);
}

TEST_CASE("differences of rows in the lattice are below the bounds of its trees",
          "[clusters][tables]") {
  const double most = std::numeric_limits<double>::max();
  for (const std::size_t columns : {1, 4, 5, 8})
    for (const double far : {1. / 3, 1e-200, 1e300}) {
      std::vector<double> values(columns, -far);
      values.resize(2 * columns, far);
      const auto lattice = analysis::place_table(table_of(values, columns), {});
      for (const auto& column : lattice.column)
        CHECK(column[1] - column[0] < (columns <= 4 ? 1u << 31 : 1u << 30));
      CHECK(lattice.column[0][1] - lattice.column[0][0] >
            (columns <= 4 ? 1u << 31 : 1u << 30) * 0.999);
    }
  CHECK(test::message_of([&] {
          analysis::place_table(table_of({-most, most}, 1), {});
        }).find("floating point") != std::string::npos);
  CHECK(test::message_of([&] {
          analysis::place_table(table_of({0, 1e-320}, 1), {});
        }).find("floating point") != std::string::npos);
}

TEST_CASE("distances of a grid are exact", "[clusters][tables]") {
  for (const std::size_t columns : {1, 2, 3, 5})
    for (const double spacing : {1., 0.25, 3., 1e6 / 64})
      for (const double corner : {0., -7., 1e9}) {
        std::vector<double> values;
        for (int i = 0; i < 243; ++i)
          for (std::size_t c = 0; c < columns; ++c)
            values.push_back(corner +
                             spacing * (c == 0 && columns == 1 ? i : i / int(std::pow(3, c)) % 3));
        CAPTURE(columns, spacing, corner);
        ClustersOptions options;
        options.linkage = Linkage::Single;
        options.cut = fmt::format("distance:{}", spacing);
        const auto found = find(table_of(values, columns), options);
        CHECK(found.clusters.count() == 1);
        CHECK(found.clusters.hierarchy->height.back() == spacing);
        CHECK(found.clusters.hierarchy->height[241] == spacing);
      }
}

TEST_CASE("what is written takes the memory that was asked for", "[clusters][tables]") {
  const auto table = table_of(clumps(600, 2, 4, false), 2);
  for (const int least : {2, 20}) {
    ClustersOptions options;
    options.min_cluster_size = std::uint64_t(least);
    const auto found = find(table, options);
    const auto& hierarchy = *found.clusters.hierarchy;
    const auto rows = analysis::condensed_rows(*found.clusters.condensed);
    const std::uint64_t condensed =
        (rows.parent.size() + rows.child.size() + rows.lambda.size() + rows.size.size()) * 8;
    const std::uint64_t linkage = analysis::linkage_of(hierarchy).size() * 32;
    CHECK(condensed <= analysis::bytes_of_writing(600, options, false));
    CHECK(condensed + linkage <= analysis::bytes_of_writing(600, options, true));
    CHECK(analysis::bytes_of_writing(600, options, true) < 3 * (condensed + linkage));
  }
  CHECK(test::message_of([] {
          analysis::require_memory_to_write(std::uint64_t(1) << 50, {}, true);
        }).find("their files") != std::string::npos);
}

TEST_CASE("what a table cannot be asked gets its sentence", "[clusters][tables]") {
  const auto table = table_of(clumps(50, 3, 1, false), 3);
  const auto with = [](auto change) {
    ClustersOptions options;
    change(options);
    return options;
  };
  using O = ClustersOptions;
  CHECK(refusal(table, with([](O& o) { o.min_samples = 51; })).find("there are 50 points") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.min_samples = 66; })).find("65 or less") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.min_samples = 0; })).find("1 or more") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.min_cluster_size = 1; })).find("2 or more") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.cut = "count:51"; }))
            .find("50 points are fewer than the 51 clusters") != std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.cut = "distance:99"; })).find("above the last merge") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.cut = "spacings:1"; })).find("without a box") !=
        std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.types = {"dm"}; })).find("no types") != std::string::npos);
  CHECK(refusal(table, with([](O& o) { o.softening = 1; })).find("no gravity") !=
        std::string::npos);
  CHECK(refusal(table, {}, -1.).find("--box") != std::string::npos);
  CHECK(refusal(table_of(clumps(50, 4, 1, false), 4), {}, 10.).find("leave out --box") !=
        std::string::npos);
  CHECK(refusal(table_of(clumps(50, 9, 1, false), 9), {}).find("9 columns") != std::string::npos);
}

TEST_CASE("tables of many columns are linked by cuslink alone", "[clusters][tables]") {
  const io::PointTable table = table_of(clumps(130, 12, 5, false), 12);
  ClustersOptions options;
  CHECK_THAT(refusal(table, options), Catch::Contains("method"));
  options.method = analysis::TreeMethod::Cuslink;
  const auto by_default = find(table, options);
  CHECK(by_default.clusters.hierarchy->graph_neighbors == 22);
  CHECK(by_default.clusters.hierarchy->height.size() == 129);
  CHECK_THAT(refusal(table, options, 10.), Catch::Contains("--box"));
  // More than trees of boxes list.
  options.neighbors = 100;
  CHECK(find(table, options).clusters.hierarchy->graph_neighbors == 100);
  for (const std::uint64_t k : {std::uint64_t(130), (std::uint64_t(1) << 32) + 1}) {
    options.neighbors = k;
    CHECK_THAT(refusal(table, options), Catch::Contains("`k`"));
  }
  const io::PointTable few = table_of(clumps(130, 3, 5, false), 3);
  options.neighbors = 81;
  CHECK_THAT(refusal(few, options), Catch::Contains("80 or less"));
  options.method = analysis::TreeMethod::Exact;
  CHECK_THAT(refusal(few, options), Catch::Contains("cuslink"));
}
