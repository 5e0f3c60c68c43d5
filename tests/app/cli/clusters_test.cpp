// `haloscope clusters` as a user runs it: what its files hold, and what gets a sentence.

#include "core/labels.h"
#include "io/catalogs/catalog_reader.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/npy_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/oracles/slow_linkage.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kRows = 300;

// Four clumps and a background in a square of side 10.
std::vector<double> clumps() {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(0, 10);
  std::normal_distribution<double> normal(0, 0.2);
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool field = i % 6 == 0;
    const double center[2] = {i % 4 < 2 ? 2.5 : 7.5, i % 2 == 0 ? 2.5 : 7.5};
    for (const double c : center) values.push_back(field ? uniform(random) : c + normal(random));
  }
  return values;
}

template <class T>
std::vector<T> numbers(const Hdf5Contents& contents, const std::string& name) {
  const auto found = contents.all.find(name);
  if (found == contents.all.end()) return {};
  std::vector<T> values(found->second.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
  return values;
}

Outcome clusters(const std::string& input, const std::string& output, Words more = {}) {
  more.insert(more.begin(), {"clusters", input, "-o", output});
  return run_program(more);
}

// Rows that a tree merges at each of its steps, by SciPy's description of Z.
void check_linkage(const std::vector<double>& z, const std::vector<double>& heights) {
  REQUIRE(z.size() == 4 * (kRows - 1));
  std::vector<double> size(kRows, 1);
  std::vector<bool> used(2 * kRows, false);
  for (std::size_t k = 0; k + 1 < kRows; ++k) {
    const double a = z[4 * k], b = z[4 * k + 1];
    REQUIRE(a < b);
    REQUIRE(b < double(kRows + k));
    for (const double id : {a, b}) {
      REQUIRE_FALSE(used[std::size_t(id)]);
      used[std::size_t(id)] = true;
    }
    CHECK(z[4 * k + 2] == heights[k]);
    CHECK(z[4 * k + 3] == size[std::size_t(a)] + size[std::size_t(b)]);
    size.push_back(z[4 * k + 3]);
  }
}

}  // namespace

TEST_CASE("clusters of a table are written with their tree, labels and scores", "[app][clusters]") {
  for (const auto& device : ::test::devices()) {
    const OutputFolder folder;
    const std::string table = folder.path("t.npy"), output = folder.path("c.hdf5");
    write_points(table, clumps(), 2);
    const auto run = clusters(table, output,
                              {"--tree", folder.path("z.npy"), "--stats", folder.path("s.json"),
                               "--device", device.word()});
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("4 clusters of 20 or more hold"));
    CHECK(run.says("wrote " + output));
    const Hdf5Contents contents(output);
    const auto weight = numbers<double>(contents, "Tree/weight");
    const auto expected = slow_linkage(clumps(), 2, 0, 5).heights();
    REQUIRE(weight.size() == kRows - 1);
    for (std::size_t k = 0; k < weight.size(); ++k)
      CHECK(weight[k] == Approx(expected[k]).epsilon(1e-7));
    CHECK(numbers<std::int32_t>(contents, "Tree/i").size() == kRows - 1);
    CHECK(numbers<std::int32_t>(contents, "Tree/j").size() == kRows - 1);
    const auto z = numbers<double>(contents, "Dendrogram/Z");
    check_linkage(z, weight);
    std::string head;
    CHECK(read_array<double>(folder.path("z.npy"), head) == z);
    CHECK(head.find("'shape': (299, 4)") != std::string::npos);
    const auto label = numbers<std::int32_t>(contents, "Labels/Label");
    const auto probability = numbers<double>(contents, "Labels/Probability");
    const auto outlier = numbers<double>(contents, "Labels/OutlierScore");
    REQUIRE(label.size() == kRows);
    REQUIRE(probability.size() == kRows);
    REQUIRE(outlier.size() == kRows);
    CHECK(*std::min_element(label.begin(), label.end()) == -1);
    CHECK(*std::max_element(label.begin(), label.end()) == 3);
    for (std::size_t row = 0; row < kRows; ++row)
      CHECK((label[row] < 0) == (probability[row] == 0));
    // Every point and every cluster but the root leaves once.
    const auto child = numbers<std::int64_t>(contents, "Condensed/child");
    CHECK(child.size() >= kRows + 4);
    std::vector<std::int64_t> sorted = child;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k)
      CHECK(sorted[k] == std::int64_t(k < kRows ? k : k + 1));
    CHECK(numbers<std::int64_t>(contents, "Condensed/parent").size() == child.size());
    CHECK(numbers<double>(contents, "Condensed/lambda_val").size() == child.size());
    CHECK(numbers<std::int64_t>(contents, "Condensed/child_size").size() == child.size());
    // The catalog's rows are the labels.
    const HaloCatalog catalog = io::open_catalog(output);
    REQUIRE(catalog.find("Group")->count == 4);
    for (std::uint64_t c = 0; c < 4; ++c)
      CHECK(catalog.find("Group")->find("GroupLen")->value(c) ==
            double(std::count(label.begin(), label.end(), std::int32_t(c))));
    CHECK(contents.all.at("Provenance@CommandLine").find("clusters") != std::string::npos);
    CHECK(contents.all.count("Provenance/Parameters@minimum samples"));
    const auto told = run_program({"catalog", output});
    CHECK(told.says("format    haloscope clusters\n"));
    CHECK(told.says("Group: 4 clusters"));
    for (const char* of_halos : {"4 halo", "Subhalo", "kpc", "redshift", "cosmology"}) {
      INFO(of_halos << ": " << told.out);
      CHECK_FALSE(told.says(of_halos));
    }
    // The largest first, for want of masses.
    const auto listed = nlohmann::json::parse(run_program({"catalog", output, "--json"}).out);
    for (std::size_t k = 1; k < 4; ++k)
      CHECK(listed["largest"]["rows"][k - 1]["GroupLen"] >=
            listed["largest"]["rows"][k]["GroupLen"]);
    CHECK(run_program({"catalog", output, "--sort", "GroupPos"}).says("clusters cannot be sorted"));
    for (const char* beside : {"Tree: 299 edges", "Dendrogram: 299 merges", "Labels: 300 labels"})
      CHECK(told.says(std::string("beside    ") + beside));
    CHECK(run_program({"info", output}).says("beside    Tree: 299 edges"));
    const auto json = nlohmann::json::parse(run_program({"info", output, "--json"}).out);
    CHECK(json["beside"]["Tree"] == 299);
    const auto report = nlohmann::json::parse(std::ifstream(folder.path("s.json")));
    CHECK(report["counts"]["points"] == kRows);
    CHECK(report["counts"]["clusters"] == 4);
    CHECK(report["milliseconds"].contains("dendrogram"));
  }
}

TEST_CASE("rows, labels and the tree alone are files of their own", "[app][clusters]") {
  const OutputFolder folder;
  const std::string table = folder.path("t.csv");
  std::string text = "x,y\n";
  const auto values = clumps();
  for (std::size_t k = 0; k < values.size(); k += 2)
    text += fmt::format("{},{}\n", values[k], values[k + 1]);
  put_bytes(table, text);
  write_points(folder.path("t.npy"), values, 2);
  REQUIRE(clusters(table, folder.path("c.csv"), {"--quiet"}).code == 0);
  REQUIRE(clusters(folder.path("t.npy"), folder.path("c.npy"), {"--quiet"}).code == 0);
  std::string head;
  const auto label = read_array<std::int32_t>(folder.path("c.npy"), head);
  REQUIRE(label.size() == kRows);
  std::ifstream lines(folder.path("c.csv"));
  std::string line;
  std::size_t row = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("row")) {
      CHECK(line == "row,label,probability,outlier_score");
      continue;
    }
    CHECK(line.starts_with(fmt::format("{},{},", row, label[row])));
    ++row;
  }
  CHECK(row == kRows);
  const auto tree = run_program(
      {"clusters", folder.path("t.npy"), "--tree", folder.path("z.npy"), "--linkage", "single"});
  INFO(tree.out << tree.err);
  REQUIRE(tree.code == 0);
  CHECK(tree.says("the tree of 300 rows"));
  const auto z = read_array<double>(folder.path("z.npy"), head);
  check_linkage(z, [&] {
    std::vector<double> heights;
    for (std::size_t k = 2; k < z.size(); k += 4) heights.push_back(z[k]);
    return heights;
  }());
  // A second run replaces its own files, and none of another program's.
  CHECK(clusters(table, folder.path("c.csv"), {"--quiet"}).code == 0);
  CHECK(clusters(folder.path("t.npy"), folder.path("c.npy"), {"--quiet", "--overwrite"}).code == 0);
  // An array may be the user's own.
  const std::string before = file_bytes(folder.path("c.npy"));
  CHECK(
      clusters(table, folder.path("c.npy"), {"--min-cluster-size", "2"}).says("replace an array"));
  CHECK((file_bytes(folder.path("c.npy")) == before));
  put_bytes(folder.path("other.npy"), "something else");
  CHECK(clusters(table, folder.path("other.npy")).is_fault());
}

TEST_CASE("clusters of a periodic table lie across the sides of its box", "[app][clusters]") {
  const OutputFolder folder;
  write_points(folder.path("t.npy"), {0.1, 5, 9.9, 5, 5, 5, 10.2, 5}, 2);
  const auto run = clusters(folder.path("t.npy"), folder.path("c.npy"),
                            {"--box", "10", "--linkage", "single", "--cut", "distance:0.5"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("does not hold the rows: 1 of 4 lie outside its side of 10"));
  std::string head;
  CHECK(read_array<std::int32_t>(folder.path("c.npy"), head) ==
        std::vector<std::int32_t>{0, 0, 1, 0});
}

TEST_CASE("clusters of a snapshot are a catalog with the tree and labels of its particles",
          "[app][clusters]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("c.hdf5");
  write_universe(snapshot);
  const auto run = clusters(snapshot, output, {"--min-cluster-size", "30", "--types", "dm,gas"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("4 clusters of 30 or more hold"));
  CHECK(run.says("gas and dm particles"));
  const Hdf5Contents contents(output);
  CHECK(numbers<std::int32_t>(contents, "Tree/i").size() == 507);
  CHECK_FALSE(contents.all.count("Dendrogram/Z"));
  CHECK(numbers<std::int32_t>(contents, "Labels/PartType0/Label").size() == 28);
  const auto label = numbers<std::int32_t>(contents, "Labels/PartType1/Label");
  CHECK(label.size() == 480);
  CHECK(numbers<float>(contents, "Labels/PartType1/Probability").size() == 480);
  CHECK(numbers<float>(contents, "Labels/PartType1/OutlierScore").size() == 480);
  CHECK(numbers<double>(contents, "Group/GroupPersistence").size() == 4);
  CHECK(numbers<double>(contents, "Group/GroupMass").size() == 4);
  CHECK(contents.all.count("IDs/PartType1/ParticleIDs"));
  // All clusters of the condensed tree, numbered behind the particles.
  const auto parent = numbers<std::int64_t>(contents, "Subhalo/SubhaloParent");
  const auto parents = numbers<std::int64_t>(contents, "Condensed/parent");
  REQUIRE(parent.size() >= 5);
  CHECK(*std::max_element(parents.begin(), parents.end()) < 508 + std::int64_t(parent.size()));
  const HaloCatalog catalog = io::open_catalog(output);
  REQUIRE(catalog.find("Subhalo"));
  CHECK(catalog.find("Subhalo")->count == parent.size());
  CHECK(run_program({"catalog", output}).says(fmt::format("Subhalo: {} clusters", parent.size())));
  CHECK(run_program({"catalog", output, "--table", "Subhalo", "-o", folder.path("s.csv")}).code ==
        0);
  CHECK(contents.all.at("Tree/i@description")
            .find("rows of gas, from 0, then those of dm, from 28") != std::string::npos);
  REQUIRE(clusters(snapshot, output, {"--tree", folder.path("z.npy"), "--quiet"}).code == 0);
  CHECK(numbers<double>(Hdf5Contents(output), "Dendrogram/Z").size() == 4 * 479);
  REQUIRE(clusters(snapshot, folder.path("c.csv"),
                   {"--cut", "distance:1", "--min-cluster-size", "30", "--quiet"})
              .code == 0);
  CHECK(file_bytes(folder.path("c.csv")).find("GroupMass") != std::string::npos);
  CHECK(run_program({"catalog", folder.path("c.csv")}).says("4 clusters"));
  REQUIRE(clusters(snapshot, folder.path("c.npy"), {"--quiet"}).code == 0);
  std::string head;
  CHECK(read_array<std::int32_t>(folder.path("c.npy"), head).size() == 480);
  const auto plot = run_program(
      {"clusters", snapshot, "--plot", "probability=" + folder.path("p.csv"), "--quiet"});
  CHECK(plot.code == 0);
}

TEST_CASE("clusters of a cut-out are those of a snapshot that holds nothing else",
          "[app][clusters]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("c.hdf5");
  const std::string cut = folder.path("cut.hdf5"), expected = folder.path("e.hdf5");
  write_universe(snapshot);
  const Words selections[] = {{"--region", "90,90,90,40,50,60"},
                              {"--sphere", "99,1,0,40"},
                              {"--where", "ParticleIDs:0,1000250", "--where", "Masses:2,3"},
                              {"--region", "0,0,0,70,70,70", "--where", "ParticleIDs:1000050,2e6"}};
  for (Words selection : selections) {
    CAPTURE(selection);
    Words convert = selection;
    convert.insert(convert.begin(), {"convert", snapshot, cut, "--quiet", "--overwrite"});
    REQUIRE(run_program(convert).code == 0);
    REQUIRE(clusters(cut, expected, {"--quiet", "--types", "dm"}).code == 0);
    selection.insert(selection.end(), {"--types", "dm"});
    const auto run = clusters(snapshot, output, selection);
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("\nSpheres count the selected particles alone."));
    CHECK_FALSE(run.says("spheres count all matter"));
    CHECK_FALSE(run.says("assumed: 1"));  // how many are selected
    const Hdf5Contents found(output), wanted(expected);
    for (const char* name :
         {"Tree/i", "Tree/j", "Tree/weight", "Condensed/child", "Labels/PartType1/Label",
          "Labels/PartType1/Probability", "Group/GroupLen", "Group/GroupMass", "Group/GroupPos",
          "Group/GroupVel", "IDs/PartType1/ParticleIDs"}) {
      INFO(name);
      CHECK((found.all.at(name) == wanted.all.at(name)));
    }
    // Which particles these are: their IDs are 1e6 and their rows.
    const auto row = numbers<std::uint64_t>(found, "Labels/PartType1/Row");
    const auto label = numbers<std::int32_t>(found, "Labels/PartType1/Label");
    REQUIRE(row.size() == label.size());
    std::vector<std::uint64_t> members;
    for (std::size_t k = 0; k < row.size(); ++k)
      if (label[k] == 0) members.push_back(1000000 + row[k]);
    auto ids = numbers<std::uint64_t>(found, "IDs/PartType1/ParticleIDs");
    const auto length = numbers<std::int32_t>(found, "Group/GroupLen");
    if (!length.empty()) {
      ids.resize(std::size_t(length[0]));
      CHECK(ids == members);
    }
    // Rows of the snapshot are not one run of members.
    CHECK_FALSE(found.all.count("Group/GroupOffsetType"));
    CHECK(found.all.at("Tree/i@description").find("selected rows") != std::string::npos);
    CHECK(run_program({"info", output}).says("Labels/PartType1"));
  }
}

TEST_CASE("what was assumed of a snapshot is told, and kept in its catalog", "[app][clusters]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("c.hdf5");
  {
    snapshot_files::FileWriter file(snapshot);
    snapshot_files::write_header(file, {0, 4, 0, 0, 0, 0}, 10);
    file.group("PartType1")
        .dataset("PartType1/Coordinates", {4, 3},
                 std::vector<double>{0.1, 5, 5, 10.05, 5, 5, 3, 3, 3, std::nan(""), 0, 0});
  }
  const auto run = clusters(snapshot, output, {"--linkage", "single", "--cut", "distance:0.5"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const std::string wrapped = "1 of 4 dm particles lie on or outside the edge of the box: wrapped";
  CHECK(run.says("\n" + wrapped));
  CHECK(run.says("\n1 of 4 dm particles have positions that are not finite"));
  CHECK(run.says("2 clusters hold 3 of 3 dm particles"));
  const Hdf5Contents contents(output);
  CHECK(contents.all.at("Provenance/Parameters@assumed").find(wrapped) != std::string::npos);
  CHECK(numbers<std::int32_t>(contents, "Labels/PartType1/Label") ==
        std::vector<std::int32_t>{0, 0, 1, -1});
}

TEST_CASE("clusters of phase space and of fields tell what they were divided by",
          "[app][clusters]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("c.hdf5");
  write_universe(snapshot, 0);
  for (const char* space : {"phase", "Coordinates,Velocities"}) {
    CAPTURE(space);
    const Words more{"--space", space, "--scale", "2,50", "--min-cluster-size", "30"};
    const auto run = clusters(snapshot, output, more);
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says(" clusters of 30 or more hold"));
    CHECK(run.says(" divided by 2"));
    CHECK(run.says(" divided by 50"));
    const Hdf5Contents contents(output);
    CHECK(contents.all.at("Provenance/Parameters@space").find(space) != std::string::npos);
    for (const char* what : {"scale of ", "lattice step of "}) {
      const bool phase = std::string(space) == "phase";
      for (const char* name :
           {phase ? "positions" : "Coordinates", phase ? "velocities" : "Velocities"}) {
        INFO(what << name);
        CHECK(contents.all.count(std::string("Provenance/Parameters@") + what + name));
      }
    }
    CHECK(contents.all.at("Tree/weight@unit").find("kpc") == std::string::npos);
    REQUIRE(clusters(snapshot, output, more).code == 0);
    CHECK((Hdf5Contents(output).all == contents.all));
  }
}

TEST_CASE("columns of a table are divided by what scales say", "[app][clusters]") {
  const OutputFolder folder;
  std::vector<double> values = clumps(), stretched = values;
  for (std::size_t k = 1; k < stretched.size(); k += 2) stretched[k] *= 64;
  write_points(folder.path("t.npy"), values, 2);
  write_points(folder.path("s.npy"), stretched, 2);
  REQUIRE(clusters(folder.path("t.npy"), folder.path("t.hdf5"), {"--quiet"}).code == 0);
  const auto run = clusters(folder.path("s.npy"), folder.path("s.hdf5"), {"--scale", "1,64"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const Hdf5Contents plain(folder.path("t.hdf5")), scaled(folder.path("s.hdf5"));
  for (const char* name : {"Tree/weight", "Dendrogram/Z", "Labels/Label", "Labels/OutlierScore",
                           "Group/GroupFarthestRad"})
    CHECK((scaled.all.at(name) == plain.all.at(name)));
  // Places are those of the table.
  const auto place = numbers<double>(plain, "Group/GroupPos");
  auto expected = place;
  for (std::size_t k = 1; k < expected.size(); k += 2) expected[k] *= 64;
  CHECK(numbers<double>(scaled, "Group/GroupPos") == expected);
  CHECK(scaled.all.at("Provenance/Parameters@scale").find("1,64") != std::string::npos);
}

TEST_CASE("two runs write the same clusters", "[app][clusters]") {
  const OutputFolder folder;
  write_points(folder.path("t.npy"), clumps(), 2);
  const std::string output = folder.path("c.hdf5");
  REQUIRE(clusters(folder.path("t.npy"), output, {"--quiet"}).code == 0);
  const Hdf5Contents first(output);
  REQUIRE(clusters(folder.path("t.npy"), output, {"--quiet"}).code == 0);
  CHECK((Hdf5Contents(output).all == first.all));
}

TEST_CASE("mistakes in a search for clusters get their sentence, and nothing is written",
          "[app][clusters]") {
  const OutputFolder folder;
  const std::string table = folder.path("t.npy"), snapshot = folder.path("snap.hdf5");
  const std::string open = folder.path("open.hdf5"), out = folder.path("c.hdf5");
  write_points(table, clumps(), 2);
  write_universe(snapshot);
  write_universe(open, 0);
  put_bytes(folder.path("half.npy"), npy_bytes("'<f2'", "(2, 2)", "12345678"));
  put_bytes(folder.path("words.csv"), "hello,world\nthis,is text\n");
  const std::vector<std::pair<Words, std::string>> mistakes{
      {{"clusters", table}, "there is nothing to write"},
      {{"clusters", table, "-o", folder.path("c.txt")}, ".hdf5"},
      {{"clusters", table, "-o", folder.path("no/c.hdf5")}, "no"},
      {{"clusters", table, "-o", table}, "t.npy"},
      {{"clusters", table, "--tree", folder.path("z.hdf5")}, "name the file .npy"},
      {{"clusters", table, "-o", out, "--linkage", "double"}, "not one of hdbscan, single"},
      {{"clusters", table, "-o", out, "--linkage", "single", "--min-samples", "3"},
       "--min-samples"},
      {{"clusters", table, "-o", folder.path("c.csv"), "--linkage", "single"}, "add --cut"},
      {{"clusters", table, "-o", folder.path("c.npy"), "--linkage", "single"}, "add --cut"},
      {{"clusters", table, "-o", out, "--min-samples", "0"}, "--min-samples must be 1 or more"},
      {{"clusters", table, "-o", out, "--min-samples", "66"}, "--min-samples must be 65 or less"},
      {{"clusters", table, "-o", out, "--min-cluster-size", "1"},
       "--min-cluster-size must be 2 or more"},
      {{"clusters", table, "-o", out, "--max-cluster-size", "3"}, "--max-cluster-size"},
      {{"clusters", table, "-o", out, "--cluster-epsilon", "-1"}, "--cluster-epsilon"},
      {{"clusters", table, "-o", out, "--cut", "0.2"}, "--cut: '0.2' is no cut"},
      {{"clusters", table, "-o", out, "--cut", "distance:0"}, "not above 0"},
      {{"clusters", table, "-o", out, "--cut", "distance:-2"}, "not above 0"},
      {{"clusters", table, "-o", out, "--cut", "distance:100"}, "above the last merge"},
      {{"clusters", table, "-o", out, "--cut", "count:301"},
       "300 points are fewer than the 301 clusters"},
      {{"clusters", table, "-o", out, "--cut", "count:0"}, "no number of clusters"},
      {{"clusters", table, "-o", out, "--cut", "spacings:0.2"}, "--box"},
      {{"clusters", table, "-o", out, "--cut", "count:3", "--select", "leaf"}, "--select"},
      {{"clusters", table, "-o", out, "--types", "dm"}, "--types"},
      {{"clusters", table, "-o", out, "--space", "phase"}, "--space"},
      {{"clusters", table, "-o", out, "--scale", "1"}, "there is 1 number for 2 columns"},
      {{"clusters", table, "-o", out, "--scale", "1,0"}, "--scale"},
      {{"clusters", table, "-o", out, "--scale", "1,1", "--box", "10"}, "--scale"},
      {{"clusters", open, "-o", out, "--space", "phase", "--scale", "1"},
       "there is 1 number for positions and velocities"},
      {{"clusters", open, "-o", out, "--scale", "1"}, "--scale"},
      {{"clusters", open, "-o", out, "--space", "Speeds"}, "did you mean Speed"},
      {{"clusters", open, "-o", out, "--space", "phase", "--cut", "spacings:0.2"}, "--cut"},
      {{"clusters", table, "-o", out, "--box", "-1"}, "--box"},
      {{"clusters", table, "-o", out, "--unit-length", "kpc"}, "--unit-length"},
      {{"clusters", table, "-o", out, "--replicate", "2"}, "--replicate"},
      {{"clusters", table, "-o", out, "--sphere", "1,1,1,1"}, "--sphere"},
      {{"clusters", snapshot, "-o", out, "--where", "Nothing:0,1"}, "no field Nothing"},
      {{"clusters", snapshot, "-o", out, "--sphere", "1,1,1,0"}, "--sphere"},
      {{"clusters", snapshot, "-o", out, "--region", "40,1,1,41,2,2"}, "--region"},
      {{"clusters", snapshot, "-o", out, "--where", "ParticleIDs:0,9"},
       "no particle of dm is chosen by --where"},
      {{"clusters", snapshot, "-o", out, "--sphere", "20,30,40,9", "--cut", "spacings:0.2"},
       "selected particles have no mean spacing"},
      {{"clusters", table, "--plot", "probability=" + folder.path("p.csv")},
       "--plot: there is no plot 'probability' of a table"},
      {{"clusters", table, "--cut", "count:3", "--plot", "dendrogram=" + folder.path("p.csv")},
       "there is no plot 'dendrogram': a cut has no condensed tree; use cuts"},
      {{"clusters", snapshot, "--linkage", "single", "--plot",
        "condensed_tree=" + folder.path("p.csv")},
       "there is no plot 'condensed_tree': single linkage has no condensed tree; use cuts"},
      {{"clusters", table, "-o", out, "--select", "leaf", "--max-cluster-size", "50"},
       "--max-cluster-size"},
      {{"clusters", folder.path("half.npy"), "-o", out}, "float16"},
      {{"clusters", folder.path("words.csv"), "-o", out}, "line 2: 'this' is no number"},
      {{"clusters", folder.path("nothing.npy"), "-o", out}, "nothing.npy"},
      {{"clusters", snapshot, "-o", out, "--types", "stars"}, "no particles of type 4"},
      {{"clusters", snapshot, "-o", out, "--cut", "count:481"}, "480 points are fewer"},
      // In units that fit: wrong ones are warned of before the tree.
      {{"clusters", snapshot, "-o", out, "--cut", "distance:99", "--unit-length", "Mpc/h"},
       "above the last merge"},
      {{"clusters", open, "-o", out, "--cut", "spacings:0.2"}, "without a box"},
      {{"clusters", snapshot, "--plot", "nothing=" + folder.path("p.csv")}, "no plot"}};
  const Words before = folder.files();
  for (const auto& [arguments, part] : mistakes) {
    const auto run = run_program(arguments);
    INFO(part << ": " << run.out << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
    CHECK_FALSE(run.says("`"));
  }
  CHECK(folder.files() == before);
}
