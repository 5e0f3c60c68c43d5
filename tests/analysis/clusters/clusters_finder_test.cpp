// Clusters of snapshots: cuts are the groups that a search for halos finds at that length, and what
// is measured of clusters is what is measured of halos.

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/finder.h"
#include "analysis/halos/halo_options.h"
#include "analysis/particle_colors.h"
#include "core/labels.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/made/resident_points.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::Finding;
using analysis::HaloOptions;
using analysis::Linkage;

namespace {

std::shared_ptr<const Finding> find(const io::SnapshotReader& reader, const std::string& finder,
                                    const analysis::AnyOptions& options,
                                    compute::Device device = compute::Device::cpu()) {
  Progress progress;
  analysis::FindRequest request;
  request.device = device;
  return analysis::find_in(reader, finder, options, request, progress);
}

// Friends-of-friends groups of two and more of a type, numbered by their first rows.
std::vector<std::uint32_t> friends(const io::SnapshotReader& reader, int type,
                                   const HaloOptions& options, compute::Device device) {
  const auto found = find(reader, "halos", options, device);
  if (!found->labels) return {};
  std::vector<std::uint32_t> label = found->labels->of.at(type);
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& l : label)
    if (l != Labels::kNone) l = number.try_emplace(l, std::uint32_t(number.size())).first->second;
  return label;
}

// The same by a cut.
std::vector<std::uint32_t> cut(const io::SnapshotReader& reader, int type, const std::string& at,
                               compute::Device device) {
  ClustersOptions options;
  options.types = {std::to_string(type)};
  options.linkage = Linkage::Single;
  options.cut = at;
  options.min_cluster_size = 2;
  const auto found = find(reader, "clusters", options, device);
  CHECK(found->pieces > 0);
  return found->labels->of.at(type);
}

HaloOptions halos_of(int type) {
  HaloOptions options;
  options.types = {std::to_string(type)};
  options.min_members = 2;
  return options;
}

std::unique_ptr<io::SnapshotReader> open_lattice(const std::string& path, double box) {
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {0, 6 * 125, 0, 0, 0, 0}, box);
    std::vector<double> at;
    // Crystals, one in another's reach or not, one across a corner of the box.
    for (const double corner : {0., 16. / 64, 22. / 64, 28.015625 / 64, 40. / 64, 62. / 64})
      for (int i = 0; i < 125; ++i)
        for (const int k : {i % 5, i / 5 % 5, i / 25}) {
          const double x = corner + k / 64.;
          at.push_back(x < 1 ? x : x - 1);
        }
    file.group("PartType1").dataset("PartType1/Coordinates", {6 * 125, 3}, at);
    file.dataset("PartType1/Masses", {6 * 125}, std::vector<float>(6 * 125, 1.f));
  }
  return io::open_snapshot(path);
}

}  // namespace

TEST_CASE("a cut at a length that many distances are is decided as halos are", "[clusters]") {
  const test::OutputFolder folder;
  for (const double box : {1., 0.}) {
    const auto reader = open_lattice(folder.path(fmt::format("snap{}.hdf5", box)), box);
    for (const double squared : {1., 2., 3., 4., 5., 6.})
      for (const double nudged : {0., 1., 2.}) {
        const double exact = std::sqrt(squared) / 64;
        const double length = nudged == 0   ? std::nextafter(exact, 0)
                              : nudged == 1 ? exact
                                            : std::nextafter(exact, 1);
        CAPTURE(box, squared, nudged);
        for (const auto& device : test::devices()) {
          HaloOptions halos = halos_of(1);
          halos.epsilon = length;
          const auto expected = friends(*reader, 1, halos, device);
          // Below all distances there are no groups, and no cluster of two.
          if (expected.empty()) continue;
          CHECK((cut(*reader, 1, fmt::format("distance:{}", length), device) == expected));
        }
      }
  }
}

TEST_CASE("cuts of a universe are its halos at every length", "[clusters]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  for (const auto& device : test::devices())
    for (const double length : {0.05, 0.1, 0.3, 1., 3., 8.}) {
      HaloOptions halos = halos_of(1);
      halos.epsilon = length;
      CAPTURE(length);
      CHECK((cut(*reader, 1, fmt::format("distance:{}", length), device) ==
             friends(*reader, 1, halos, device)));
    }
}

TEST_CASE("cuts of GADGET-4's snapshots are their friends-of-friends groups", "[clusters]") {
  for (const char* name :
       {"dm64/snapshot_004", "dm64/snapshot_006", "gas48/snapshot_002", "gas48/snapshot_003"}) {
    const auto snapshot = test::shared_data(fmt::format("data/gadget4/{}.hdf5", name));
    if (!snapshot) return;
    const auto reader = io::open_snapshot(snapshot->string());
    for (const auto& device : test::devices())
      for (const double spacings : {0.1, 0.2, 0.5}) {
        CAPTURE(name, spacings);
        HaloOptions halos = halos_of(1);
        halos.spacings = spacings;
        CHECK((cut(*reader, 1, fmt::format("spacings:{}", spacings), device) ==
               friends(*reader, 1, halos, device)));
      }
  }
}

TEST_CASE("clusters of a cut are measured as halos are", "[clusters]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  HaloOptions halos;
  halos.epsilon = 1;
  halos.min_members = 30;
  ClustersOptions options;
  options.linkage = Linkage::Single;
  options.cut = "distance:1";
  options.min_cluster_size = 30;
  const auto expected = find(*reader, "halos", halos), found = find(*reader, "clusters", options);
  REQUIRE(found->pieces == 4);
  REQUIRE(expected->pieces == 4);
  // Both are in the order of size here.
  const HaloTable &a = expected->catalog.tables.front(), &b = found->catalog.tables.front();
  REQUIRE(a.columns.size() == b.columns.size());
  for (const CatalogColumn& column : a.columns) {
    INFO(column.name);
    REQUIRE(b.find(column.name));
    CHECK((b.find(column.name)->values == column.values));
    CHECK(b.find(column.name)->unit == column.unit);
  }
  CHECK((found->members.ids == expected->members.ids));
  CHECK((found->labels->of == expected->labels->of));
  CHECK(found->columns[0].values == expected->columns[0].values);
  CHECK(found->places.size() == 4);
}

TEST_CASE("HDBSCAN* of a universe finds its balls", "[clusters]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  ClustersOptions options;
  options.min_cluster_size = 30;
  const auto found = find(*reader, "clusters", options);
  REQUIRE(found->pieces == 4);
  const auto& members = found->columns[0].values;
  for (std::size_t c = 0; c < 4; ++c) {
    CHECK(members[c] >= 0.9 * (100 - 20 * double(c)));
    CHECK(members[c] <= 1.5 * (100 - 20 * double(c)));
    CHECK(found->catalog.tables.front().find("GroupLen")->value(c) == members[c]);
  }
  CHECK(found->columns.back().title == "Persistence");
  const auto& probability = found->fields.at("probability").values.at(1);
  const auto& label = found->labels->of.at(1);
  REQUIRE(probability.size() == label.size());
  for (std::size_t row = 0; row < label.size(); ++row)
    CHECK((probability[row] > 0) == (label[row] != Labels::kNone));
  CHECK(found->fields.at("outlier_score").values.at(1).size() == label.size());
  CHECK(found->condensed);
  CHECK(found->bytes() > found->hierarchy->bytes());
}

TEST_CASE("plots of clusters show what they are about", "[clusters]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  ClustersOptions options;
  options.min_cluster_size = 30;
  const auto found = find(*reader, "clusters", options);
  const analysis::Plot& probability = *analysis::find_plot(*found, "probability");
  double particles = 0;
  for (const auto& point : probability.layers.front().points) particles += point.y;
  double members = 0;
  for (const double one : found->columns[0].values) members += one;
  CHECK(particles == members);
  CHECK(probability.caption ==
        fmt::format("Without the {} particles that are in no cluster.", 480 - int(members)));
  const analysis::Plot& outliers = *analysis::find_plot(*found, "outlier_score");
  particles = 0;
  for (const auto& point : outliers.layers.front().points) particles += point.y;
  CHECK(particles == 480);
}

TEST_CASE("the usual linking length is marked for trees of distances", "[clusters]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  {
    // Without masses the mean spacing is that of the box.
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 8);
    std::vector<double> at(3 * 64);
    for (double& x : at) x = uniform(random);
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {0, 64, 0, 0, 0, 0}, 8);
    file.group("PartType1").dataset("PartType1/Coordinates", {64, 3}, at);
  }
  const auto reader = io::open_snapshot(path);
  const auto marks = [&](const ClustersOptions& options) {
    return analysis::find_plot(*find(*reader, "clusters", options), "cuts")->marks;
  };
  ClustersOptions options;
  for (const int samples : {1, 2, 3}) {
    CAPTURE(samples);
    options.min_samples = samples;
    CHECK(marks(options).size() == (samples <= 2 ? 1 : 0));
  }
  options = {};
  options.linkage = Linkage::Single;
  REQUIRE(marks(options).size() == 1);
  CHECK(marks(options).front().at == Approx(0.2 * 8 / 4));
  // Of mutual reachability it says nothing.
  CHECK(marks({}).empty());
}

TEST_CASE("particles at one place have no clusters, which is said", "[clusters]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {0, 0, 0, 0, 40, 0}, 10);
    file.group("PartType4").dataset("PartType4/Coordinates", {40, 3}, std::vector<double>(120, 3));
    file.dataset("PartType4/Masses", {40}, std::vector<float>(40, 1.f));
  }
  const auto reader = io::open_snapshot(path);
  const auto found = find(*reader, "clusters", ClustersOptions{});
  CHECK(found->pieces == 0);
  const auto says = [&](const std::string& sentence) {
    return std::find(found->notes.begin(), found->notes.end(), sentence) != found->notes.end();
  };
  CHECK(says("All 40 stars lie at one place: no height tells them apart."));
  CHECK(says("There is no dark matter: stars are clustered."));
  CHECK(found->summary.find("of 40 stars") != std::string::npos);
  CHECK(found->summary.find("stars particles") == std::string::npos);
}

TEST_CASE("types follow one another in a tree, and rows left out have no number", "[clusters]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {3, 4, 0, 0, 0, 0}, 10);
    const double none = std::nan("");
    file.group("PartType0").group("PartType1");
    file.dataset("PartType0/Coordinates", {3, 3},
                 std::vector<double>{1, 1, 1, none, 0, 0, 5, 5, 5});
    file.dataset("PartType1/Coordinates", {4, 3},
                 std::vector<double>{5, 5, 5.1, 8, 8, 8, none, 1, 1, 1, 1, 1.05});
    for (const auto& [group, count] : {std::pair{"PartType0", 3}, std::pair{"PartType1", 4}})
      file.dataset(std::string(group) + "/Masses", {hsize_t(count)},
                   std::vector<float>(std::size_t(count), 1.f));
  }
  const auto reader = io::open_snapshot(path);
  ClustersOptions options;
  options.types = {"dm", "gas"};
  options.linkage = Linkage::Single;
  options.cut = "distance:0.5";
  const auto found = find(*reader, "clusters", options);
  CHECK(found->pieces == 3);
  CHECK(found->hierarchy->tree.points == 5);
  CHECK(found->labels->of.at(0) == std::vector<std::uint32_t>{0, Labels::kNone, 1});
  CHECK(found->labels->of.at(1) == std::vector<std::uint32_t>{1, 2, Labels::kNone, 0});
  CHECK(found->hierarchy->numbering ==
        "Points are the rows of gas, from 0, then those of dm, from 2; rows that were left out "
        "while reading have no number.");
  // Gas 0 and dark matter row 3, which is point 4.
  CHECK(found->hierarchy->tree.a[0] == 0);
  CHECK(found->hierarchy->tree.b[0] == 4);
}

TEST_CASE("clusters of positions that are on a device are those of the file", "[clusters]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path);
  const auto reader = io::open_snapshot(path);
  for (const auto& device : test::devices()) {
    ClustersOptions options;
    options.types = {"gas", "dm"};
    options.min_cluster_size = 30;
    const auto expected = find(*reader, "clusters", options, device);
    analysis::FindRequest request;
    request.device = device;
    request.resident = test::resident_points(*reader, {0, 1}, device);
    const test::WithoutPositions unread(*reader);
    Progress progress;
    const auto found = analysis::find_in(unread, "clusters", options, request, progress);
    CHECK((found->labels->of == expected->labels->of));
    CHECK((found->hierarchy->height == expected->hierarchy->height));
    request.only_labels = true;
    const auto bare = analysis::find_in(unread, "clusters", options, request, progress);
    CHECK((bare->labels->of == expected->labels->of));
    CHECK(bare->catalog.tables.empty());
  }
}

TEST_CASE("cuts of a tree that is on a GPU are those of one that is not", "[clusters]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path);
  const auto reader = io::open_snapshot(path);
  const analysis::Finder& finder = analysis::require_finder("clusters");
  for (const auto& device : test::devices()) {
    CAPTURE(device.word());
    ClustersOptions options;
    options.types = {"gas", "dm"};
    options.cut = "distance:0.2";
    options.min_cluster_size = 5;
    analysis::FindRequest request;
    request.device = device;
    request.resident = test::resident_points(*reader, {0, 1}, device);
    Progress progress;
    const auto found = analysis::find_in(*reader, "clusters", options, request, progress);
    const auto expected = find(*reader, "clusters", options);
    CHECK((found->labels->of == expected->labels->of));
    CHECK(bool(found->resident) == device.is_gpu());
    options.cut = "distance:0.4";
    const auto other = find(*reader, "clusters", options);
    const analysis::Finding again = finder.take_again(*found, options);
    CHECK(again.pieces == other->pieces);
    CHECK(analysis::has_colors(again, ""));
    CHECK(bool(again.labels) != device.is_gpu());
    // Labels that are on the GPU alone give the same colors.
    const auto colored = std::make_shared<const analysis::Finding>(again);
    for (const auto& [type, labels] : other->labels->of)
      CHECK((analysis::color_values({colored, ""}, type, labels.size(), {}) ==
             analysis::color_values({other, ""}, type, labels.size(), {})));
  }
}
