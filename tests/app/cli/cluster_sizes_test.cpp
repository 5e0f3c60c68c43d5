// `haloscope clusters --weights` and `--min-cluster-size auto` as a user runs them.

#include "core/labels.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/npy_files.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/output_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kRows = 240;

// Four clumps of clumps on a plane with a flux.
std::string table_text() {
  std::mt19937 random(4);
  std::normal_distribution<double> normal(0, 0.1);
  std::string text = "x,y,flux\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    const double x = (i % 4 < 2 ? 2 : 8) + (i / 4 % 3 == 0 ? 0.6 : 0) + normal(random);
    const double y = (i % 2 == 0 ? 2 : 8) + (i / 4 % 3 == 1 ? 0.6 : 0) + normal(random);
    text += fmt::format("{},{},{}\n", x, y, double(random() % 16) / 4);
  }
  return text;
}

template <class T>
std::vector<T> values_of(const Hdf5Contents& contents, const std::string& name) {
  const auto found = contents.all.find(name);
  if (found == contents.all.end()) return {};
  std::vector<T> values(found->second.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
  return values;
}

Outcome find_clusters(const std::string& input, const std::string& output, Words more) {
  more.insert(more.begin(), {"clusters", input, "-o", output});
  return run_program(more);
}

}  // namespace

TEST_CASE("the sizes of a table's clusters are written with their labels", "[app][clusters]") {
  const OutputFolder folder;
  const std::string table = folder.path("t.csv"), output = folder.path("c.hdf5");
  put_bytes(table, table_text());
  const auto run = find_clusters(
      table, output, {"--weights", "flux", "--min-cluster-size", "auto", "--resolutions", "3"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says(" mean weights or more hold"));
  CHECK(run.says(" was chosen, and all sizes up to "));
  const Hdf5Contents contents(output);
  const auto above = values_of<double>(contents, "SizeRanges/Above");
  const auto up_to = values_of<double>(contents, "SizeRanges/UpTo");
  const auto persistence = values_of<double>(contents, "SizeRanges/Persistence");
  const auto leaves = values_of<std::int32_t>(contents, "SizeRanges/Leaves");
  REQUIRE(above.size() > 3);
  REQUIRE(up_to.size() == above.size());
  REQUIRE(persistence.size() == above.size());
  REQUIRE(leaves.size() == above.size());
  CHECK(above.front() == 4);
  const auto size = values_of<double>(contents, "Resolutions/Size");
  const auto heights = values_of<double>(contents, "Resolutions/Persistence");
  const auto clusters = values_of<std::int32_t>(contents, "Resolutions/Clusters");
  REQUIRE(!size.empty());
  REQUIRE(clusters.size() == size.size());
  CHECK(heights.front() == *std::max_element(persistence.begin(), persistence.end()));
  for (std::size_t k = 0; k < size.size(); ++k) {
    const auto label = values_of<std::int32_t>(contents, fmt::format("Resolutions/{}/Label", k));
    REQUIRE(label.size() == kRows);
    CHECK(*std::max_element(label.begin(), label.end()) + 1 == clusters[k]);
    if (k == 0) CHECK(label == values_of<std::int32_t>(contents, "Labels/Label"));
  }
  CHECK(values_of<double>(contents, "Condensed/child_weight").size() ==
        values_of<std::int64_t>(contents, "Condensed/child").size());
  CHECK(values_of<double>(contents, "Group/GroupWeight").size() == std::size_t(clusters[0]));
  for (const char* parameter : {"weights", "mean weight", "minimum cluster size", "resolutions",
                                "persistence of the size", "choice of the minimum cluster size"}) {
    INFO(parameter);
    CHECK(contents.all.count(std::string("Provenance/Parameters@") + parameter));
  }
  const auto told = run_program({"info", output});
  CHECK(told.says(fmt::format("beside    SizeRanges: {} ranges of sizes", above.size())));
  CHECK(told.says(fmt::format("beside    Resolutions: {} sizes", size.size())));
  CHECK(told.says("beside    Resolutions/0: 240 labels"));
  const auto json = nlohmann::json::parse(run_program({"catalog", output, "--json"}).out);
  CHECK(json["beside"]["Resolutions/0"] == kRows);
  // Two runs write the same.
  REQUIRE(find_clusters(table, output,
                        {"--weights", "flux", "--min-cluster-size", "auto", "--resolutions", "3"})
              .code == 0);
  CHECK((Hdf5Contents(output).all == contents.all));
}

TEST_CASE("the sizes of a snapshot's clusters are written by type", "[app][clusters]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("c.hdf5");
  write_universe(snapshot);
  const auto run = find_clusters(snapshot, output,
                                 {"--types", "dm,gas", "--weights", "mass", "--min-cluster-size",
                                  "auto", "--resolutions", "2"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const Hdf5Contents contents(output);
  for (const char* type : {"PartType0", "PartType1"})
    CHECK(values_of<std::int32_t>(contents, fmt::format("Resolutions/0/{}/Label", type)) ==
          values_of<std::int32_t>(contents, fmt::format("Labels/{}/Label", type)));
  CHECK(run_program({"info", output}).says("beside    Resolutions/0/PartType1: 480 labels"));
  CHECK(contents.all.count("Group/GroupWeight"));
  // Without the option there are no labels but the main ones.
  REQUIRE(find_clusters(snapshot, output, {"--min-cluster-size", "auto"}).code == 0);
  const Hdf5Contents alone(output);
  CHECK_FALSE(alone.all.count("Resolutions/Size"));
  CHECK(alone.all.count("SizeRanges/Persistence"));
  // A table as text, and an array, hold the clusters and the labels.
  CHECK(find_clusters(snapshot, folder.path("c.csv"), {"--min-cluster-size", "auto"}).code == 0);
  CHECK(find_clusters(snapshot, folder.path("c.npy"), {"--min-cluster-size", "auto"}).code == 0);
}

TEST_CASE("mistakes about sizes and weights get their sentence", "[app][clusters]") {
  const OutputFolder folder;
  const std::string table = folder.path("t.csv"), snapshot = folder.path("snap.hdf5");
  const std::string out = folder.path("c.hdf5");
  put_bytes(table, table_text());
  put_bytes(folder.path("negative.csv"), "x,w\n1,1\n2,-1\n3,1\n");
  write_universe(snapshot);
  const std::vector<std::pair<Words, std::string>> mistakes{
      {{table, "--min-cluster-size", "0"}, "--min-cluster-size must be 2 or more, or auto"},
      {{table, "--min-cluster-size", "best"}, "--min-cluster-size"},
      {{table, "--min-cluster-size", "auto", "--cut", "count:3"}, "--min-cluster-size"},
      {{table, "--min-cluster-size", "auto", "--max-cluster-size", "90"}, "--max-cluster-size"},
      {{table, "--resolutions", "3"}, "--resolutions"},
      {{table, "--min-cluster-size", "auto", "--resolutions", "0"}, "--resolutions"},
      {{table, "--weights", "mass"}, "no column 'mass'"},
      {{table, "--weights", "7"}, "no column 7 among 3"},
      {{table, "--weights", "flux", "--linkage", "single"}, "--weights"},
      {{folder.path("negative.csv"), "--weights", "w", "--min-samples", "2"},
       "row 1, counted from 0, has the weight -1"},
      {{snapshot, "--weights", "flux"}, "--weights"},
      {{snapshot, "--weights", "mass", "--cut", "count:3"}, "--weights"}};
  const Words before = folder.files();
  for (const char* name : {"c.csv", "c.npy"}) {
    const auto run = find_clusters(table, folder.path(name),
                                   {"--min-cluster-size", "auto", "--resolutions", "2"});
    CHECK(run.is_fault());
    CHECK(run.says("written as .hdf5 alone"));
  }
  for (const auto& [words, part] : mistakes) {
    const auto run = find_clusters(words.front(), out, {words.begin() + 1, words.end()});
    INFO(part << ": " << run.out << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
    CHECK_FALSE(run.says("`"));
  }
  CHECK(folder.files() == before);
}
