// `haloscope topology` as a user runs it: what its files hold, and what gets a sentence.

#include "io/catalogs/catalog_reader.h"
#include "io/grids/grid_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/npy_files.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

using Words = std::vector<std::string>;

template <class T>
std::vector<T> numbers(const Hdf5Contents& contents, const std::string& name) {
  const auto found = contents.all.find(name);
  if (found == contents.all.end()) return {};
  std::vector<T> values(found->second.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
void write_grid(const std::string& path, const std::vector<T>& values, const std::string& shape,
                const std::string& kind = "'<f4'") {
  std::ofstream(path, std::ios::binary) << npy_bytes(kind, shape, raw_bytes(values));
}

// Peaks of 9, 7 and 4 on a line, between them 3 and 1.
const std::vector<float> kLine{0, 9, 3, 7, 1, 4, 0};

Outcome run_topology(const std::string& input, const std::string& output, Words more = {}) {
  more.insert(more.begin(), {"topology", input, "-o", output, "--device", "cpu", "--overwrite"});
  return run_program(more);
}

struct LineRun {
  OutputFolder folder;
  std::string grid = folder.path("line.npy"), output = folder.path("out.hdf5");
  LineRun() { write_grid(grid, kLine, "(1, 1, 7)"); }

  Hdf5Contents run(const Words& words = {}) const {
    const Outcome outcome = run_topology(grid, output, words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return Hdf5Contents(output);
  }
  std::vector<float> births(const Words& words = {}) const {
    return numbers<float>(run(words), "Pairs/birth");
  }
  std::vector<double> peaks(const Words& words = {}) const {
    return numbers<double>(run(words), "Group/GroupPeakValue");
  }
};

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("topology of a grid is written with pairs, tree, segments and peaks", "[cli][peaks]") {
  const LineRun line;
  const Hdf5Contents contents = line.run();
  CHECK(numbers<float>(contents, "Pairs/birth") == std::vector<float>{9, 7, 4});
  CHECK(numbers<float>(contents, "Pairs/death") == std::vector<float>{kMinusInfinity, 3, 1});
  CHECK(numbers<std::uint64_t>(contents, "Pairs/birth_index") ==
        std::vector<std::uint64_t>{1, 3, 5});
  CHECK(numbers<std::uint64_t>(contents, "Pairs/death_index") ==
        std::vector<std::uint64_t>{~std::uint64_t(0), 2, 4});
  // Nodes: three peaks, two saddles, the last cell.
  CHECK(numbers<std::uint64_t>(contents, "Tree/VertexId") ==
        std::vector<std::uint64_t>{1, 3, 5, 2, 4, 6});
  CHECK(numbers<std::int8_t>(contents, "Tree/CriticalType") ==
        std::vector<std::int8_t>{3, 3, 3, 1, 1, 0});
  CHECK(numbers<std::uint32_t>(contents, "Tree/upNodeId") ==
        std::vector<std::uint32_t>{0, 3, 4, 1, 2});
  CHECK(numbers<std::uint32_t>(contents, "Tree/downNodeId") ==
        std::vector<std::uint32_t>{3, 4, 5, 3, 4});
  CHECK(numbers<std::int32_t>(contents, "Segmentation/Branch") ==
        std::vector<std::int32_t>{0, 0, 0, 1, 0, 2, 0});
  CHECK(numbers<std::int32_t>(contents, "Segmentation/Watershed") ==
        std::vector<std::int32_t>{0, 0, 0, 1, 1, 2, 2});
  CHECK(numbers<double>(contents, "Group/GroupPeakValue") == std::vector<double>{9, 7, 4});
  CHECK(numbers<std::int64_t>(contents, "Group/GroupParent") ==
        std::vector<std::int64_t>{-1, 0, 0});
  CHECK(numbers<double>(contents, "Group/GroupMass") == std::vector<double>{12, 8, 4});
  CHECK(numbers<double>(contents, "Group/GroupPos").at(2) == 1.5);
  CHECK(contents.all.at("Provenance@CommandLine").find("topology") != std::string::npos);
}

TEST_CASE("topology counts thresholds in what the user says", "[cli][peaks]") {
  const LineRun line;  // mean 24/7
  const double mean = 24. / 7;
  CHECK(line.peaks({"--persistence", "abs:4"}) == std::vector<double>{9, 7});
  CHECK(line.peaks({"--persistence", "abs:4.1"}) == std::vector<double>{9});
  CHECK(line.peaks({"--persistence", "mean:" + std::to_string(3.9 / mean)}).size() == 2);
  CHECK(line.peaks({"--persistence", "mean:" + std::to_string(4.1 / mean)}).size() == 1);
  CHECK(line.peaks({"--persistence", "ratio:2.3"}).size() == 3);
  CHECK(line.peaks({"--persistence", "ratio:2.4"}) == std::vector<double>{9, 4});
  CHECK(line.peaks({"--persistence", "ratio:4.1"}) == std::vector<double>{9});
  double squares = 0;
  for (const float v : kLine) squares += (v - mean) * (v - mean);
  const double sigma = std::sqrt(squares / 7);
  CHECK(line.peaks({"--persistence", "sigma:" + std::to_string(3.9 / sigma)}).size() == 2);
  CHECK(line.peaks({"--persistence", "sigma:" + std::to_string(4.1 / sigma)}).size() == 1);
  // All pairs are written none the less.
  CHECK(line.births({"--persistence", "abs:4.1"}).size() == 3);
  CHECK(line.births({"--threshold", "abs:2"}) == std::vector<float>{9, 7, 4});
  CHECK(numbers<float>(line.run({"--threshold", "abs:2"}), "Pairs/death") ==
        std::vector<float>{kMinusInfinity, 3, kMinusInfinity});
  CHECK(line.births({"--threshold", "mean:2"}) == std::vector<float>{9, 7});
  CHECK(line.births({"--periodic", "z"}).size() == 3);
  CHECK(line.births({"--levels", "sub"}) == std::vector<float>{0, 0, 1, 3});
  CHECK(numbers<float>(line.run({"--levels", "sub"}), "Pairs/death").front() == -kMinusInfinity);
}

TEST_CASE("topology of logarithms is that of the values", "[cli][peaks]") {
  const LineRun line;
  const auto births = line.births({"--log"});
  REQUIRE(births.size() == 3);
  CHECK(births[1] == std::log10(7.f));
  CHECK(line.peaks({"--log", "--persistence", "ratio:2.3"}).size() == 3);
  CHECK(line.peaks({"--log", "--persistence", "ratio:2.4"}).size() == 2);
  CHECK(line.peaks({"--log", "--persistence", "abs:0.38"}).size() == 2);
  CHECK(line.births({"--log", "--threshold", "mean:2"}).size() == 2);
  CHECK(line.peaks({"--log", "--halos", "0.5,2"}).size() == 1);
}

TEST_CASE("halos of a grid are components above a boundary", "[cli][peaks]") {
  const LineRun line;
  const double mean = 24. / 7;
  const auto times = [&](double boundary, double peak) {
    return std::to_string(boundary / mean) + "," + std::to_string(peak / mean);
  };
  const Hdf5Contents both = line.run({"--halos", times(2, 3.9)});
  CHECK(numbers<double>(both, "Group/GroupPeakValue") == std::vector<double>{9, 4});
  for (const char* name : {"Segmentation/Branch", "Segmentation/Watershed"})
    CHECK(numbers<std::int32_t>(both, name) == std::vector<std::int32_t>{-1, 0, 0, 0, -1, 1, -1});
  const Hdf5Contents one = line.run({"--halos", times(2, 4.1)});
  CHECK(numbers<std::int32_t>(one, "Segmentation/Watershed") ==
        std::vector<std::int32_t>{-1, 0, 0, 0, -1, -1, -1});
  const Hdf5Contents voids = line.run({"--levels", "sub", "--halos", times(2, 0.5)});
  CHECK(numbers<std::int32_t>(voids, "Segmentation/Branch") ==
        std::vector<std::int32_t>{0, -1, -1, -1, -1, -1, 1});
}

TEST_CASE("voids are basins of low minima, joined across low walls", "[cli][peaks]") {
  // Minima 0, 1, 3 and 0; walls 9, 7 and 4: kLine is 0 9 3 7 1 4 0.
  const LineRun line;
  const double mean = 24. / 7;
  const auto voids = [&](double wall, double minimum) {
    return line.run({"--voids", std::to_string(wall / mean) + "," + std::to_string(minimum / mean),
                     "--smooth", "0cells"});
  };
  const auto minima = [&](double wall, double minimum) {
    return numbers<double>(voids(wall, minimum), "Group/GroupPeakValue");
  };
  CHECK(minima(0, 3.5) == std::vector<double>{0, 0, 1, 3});
  CHECK(minima(0, 2) == std::vector<double>{0, 0, 1});
  // A pass as high as the wall divides.
  CHECK(minima(3.99, 2) == std::vector<double>{0, 0, 1});
  CHECK(minima(4.01, 2) == std::vector<double>{0, 0});
  CHECK(minima(7.01, 2) == std::vector<double>{0, 0});
  CHECK(minima(9.01, 2) == std::vector<double>{0});
  // Zones reach up to the ridges, which are theirs too; those that are no void have no cell.
  const Hdf5Contents two = voids(4.01, 2);
  CHECK(numbers<std::int32_t>(two, "Segmentation/Watershed") ==
        std::vector<std::int32_t>{0, 0, -1, 1, 1, 1, 1});
  CHECK(two.all.at("Provenance/Parameters@levels") == "sub");
  // The grid is smoothed where nobody said how.
  const Hdf5Contents usual = line.run({"--voids", "0.2,1"});
  CHECK(usual.all.at("Provenance/Parameters@smooth") == "2cells");
  const Outcome outcome = run_topology(line.grid, line.folder.path("v.csv"), {"--voids", "0.2,1"});
  CHECK(outcome.says("void"));
  CHECK(outcome.says("with minima below"));
  CHECK_FALSE(outcome.says("peak"));
}

TEST_CASE("topology takes grids of all kinds in their own type", "[cli][peaks]") {
  const LineRun line;
  write_grid(line.folder.path("u.npy"), std::vector<std::uint8_t>{0, 9, 3, 7, 1, 4, 0}, "(7, 1)",
             "'|u1'");
  REQUIRE(run_topology(line.folder.path("u.npy"), line.output).code == 0);
  CHECK(numbers<std::uint8_t>(Hdf5Contents(line.output), "Pairs/death") ==
        std::vector<std::uint8_t>{0, 3, 1});
  put_bytes(line.folder.path("raw.bin"), "head" + raw_bytes(kLine));
  const Outcome raw =
      run_topology(line.folder.path("raw.bin"), line.output, {"--raw-grid", "f4:1x1x7;skip=4"});
  INFO(raw.err);
  CHECK(raw.says("3 peaks of 3 maxima"));
  const std::string universe = line.folder.path("snap.hdf5"), grid = line.folder.path("g.hdf5");
  write_universe(universe);
  REQUIRE(run_program({"grid", universe, "-o", grid, "--size", "16", "--overdensity"}).code == 0);
  REQUIRE(run_topology(grid, line.output, {"--dataset", "overdensity"}).code == 0);
  const Hdf5Contents of_grid(line.output);
  // Its file says that the ends meet.
  CHECK(of_grid.all.at("Provenance/Parameters@periodic") == "x,y,z");
  REQUIRE(run_topology(universe, line.output, {"--grid", "16"}).code == 0);
  const Hdf5Contents of_snapshot(line.output);
  for (const char* name : {"Pairs/birth", "Pairs/death", "Pairs/birth_index", "Pairs/death_index",
                           "Segmentation/Branch", "Segmentation/Watershed"}) {
    INFO(name);
    CHECK(!of_grid.all.at(name).empty());
    CHECK(of_grid.all.at(name) == of_snapshot.all.at(name));
  }
}

TEST_CASE("a grid that is taken for a snapshot is told to be a grid", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string universe = folder.path("snap.hdf5"), grid = folder.path("g.hdf5");
  write_universe(universe);
  REQUIRE(run_program({"grid", universe, "-o", grid, "--size", "8"}).code == 0);
  for (const char* command : {"halos", "clusters"}) {
    const Outcome run = run_program({command, grid, "-o", folder.path("out.hdf5")});
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says("it may hold a grid of 8 x 8 x 8 cells"));
    CHECK(run.says("haloscope topology"));
  }
}

TEST_CASE("the grid of a snapshot is told, and a region where it is nearly empty", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("p.hdf5");
  {
    // Across an edge of the box along x.
    snapshot_files::FileWriter file(snapshot);
    snapshot_files::write_header(file, {0, 4, 0, 0, 0, 0}, 64);
    file.group("PartType1")
        .dataset("PartType1/Coordinates", {4, 3},
                 std::vector<double>{63.5, 10.5, 20.5, 0.5, 10.5, 20.5, 1.5, 12.5, 20.5, 0.5, 10.5,
                                     22.5});
    file.dataset("PartType1/Masses", {4}, std::vector<float>(4, 2.f));
  }
  const auto run = run_topology(snapshot, output, {"--grid", "64", "--assign", "ngp"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("overdensity of dm particles: from 0 to "));
  CHECK(run.says("and 1 is 3.05176e-05 1e10 Msun/h a cell"));
  CHECK(run.says(" in 64 x 64 x 64 cells of 1 x 1 x 1 kpc/h"));
  CHECK(
      run.says("All particles lie in 0.01 % of the grid: --region 63,10,20,66,13,23 puts its "
               "cells there alone."));
  const auto there = run_topology(
      snapshot, output, {"--grid", "3", "--assign", "ngp", "--region", "63,10,20,66,13,23"});
  INFO(there.out << there.err);
  CHECK(there.says(" in 3 x 3 x 3 cells of 1 x 1 x 1 kpc/h"));
  CHECK_FALSE(there.says("--region"));
  CHECK_FALSE(run_topology(snapshot, output, {"--grid", "2"}).says("--region"));
}

TEST_CASE("a table of points that is taken as an image is told as one", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string table = folder.path("points.npy"), output = folder.path("p.csv");
  std::vector<double> values(3 * 100);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = double(k * 7 % 31);
  write_grid(table, values, "(100, 3)", "'<f8'");
  const auto run = run_topology(table, output);
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("points.npy: an image of 100 x 3 cells (float64) whose ends do not meet"));
  CHECK(run.says("`haloscope clusters` takes it"));
  write_grid(table, values, "(20, 15)", "'<f8'");
  const auto image = run_topology(table, output, {"--periodic", "x"});
  CHECK(image.says("an image of 20 x 15 cells (float64) whose ends meet along x"));
  CHECK_FALSE(image.says("haloscope clusters"));
}

TEST_CASE("peaks of a snapshot have members, labels and properties", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("out.hdf5");
  write_universe(snapshot);
  for (const char* segments : {"watershed", "branch"}) {
    const Outcome run = run_topology(snapshot, output,
                                     {"--grid", "20", "--persistence", "mean:50", "--segments",
                                      segments, "--stats", folder.path("stats.json")});
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("with persistence of 50 or more"));
    const Hdf5Contents contents(output);
    const auto labels = numbers<std::int32_t>(contents, "Labels/PartType1/Label");
    const auto cells = numbers<std::int32_t>(contents, segments == std::string("branch")
                                                           ? "Segmentation/Branch"
                                                           : "Segmentation/Watershed");
    const auto places = numbers<double>(Hdf5Contents(snapshot), "PartType1/Coordinates");
    REQUIRE(labels.size() * 3 == places.size());
    std::vector<std::int32_t> members(4, 0);
    bool all_right = true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::size_t cell = 0;
      for (std::size_t a = 0; a < 3; ++a)
        cell = cell * 20 + std::size_t(places[3 * i + a] / kBox * 20) % 20;
      all_right = all_right && labels[i] == cells[cell];
      if (labels[i] >= 0) ++members.at(std::size_t(labels[i]));
    }
    CHECK(all_right);
    const HaloCatalog catalog = io::open_catalog(output);
    CHECK(catalog.format == "haloscope peaks");
    REQUIRE(catalog.tables.size() == 1);
    const HaloTable& table = catalog.tables.front();
    REQUIRE(table.count == 4);
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(table.find("GroupLenType")->value(k, 1) == members[k]);
    // The largest ball lies across a corner of the box.
    for (int a = 0; a < 3; ++a) {
      const double x = table.find("GroupPos")->value(0, a);
      CHECK(std::min(x, kBox - x) < 2);
    }
    double mass = 0;
    for (std::size_t k = 0; k < 4; ++k) mass += table.find("GroupMass")->value(k);
    CHECK(mass == Approx(2 * 480 + 28));
    double of_grid = 0;
    for (std::size_t k = 0; k < 4; ++k) of_grid += table.find("GroupGridMass")->value(k);
    CHECK(of_grid == Approx(2 * 480 + 28).epsilon(1e-5));
    const auto report = nlohmann::json::parse(file_bytes(folder.path("stats.json")));
    CHECK(report["counts"]["peaks"] == 4);
    CHECK(report["counts"]["cells"] == 8000);
  }
  const Outcome listed = run_program({"catalog", output, "--top", "2"});
  INFO(listed.out << listed.err);
  CHECK(listed.code == 0);
  CHECK(listed.says("Group: 4 peaks"));
  CHECK(listed.says("beside    Pairs: "));
  const Outcome told = run_program({"info", output});
  CHECK(told.says("haloscope peaks"));
  const Outcome compared = run_program({"catalog", output, "--compare", output});
  INFO(compared.out << compared.err);
  CHECK(compared.says("the very same in 4 of 4 pairs"));
}

TEST_CASE("what no particle lies in is a row of the catalog too", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("out.hdf5");
  write_universe(snapshot);
  // Minima between the balls.
  const Outcome run = run_topology(snapshot, output,
                                   {"--grid", "16", "--smooth", "1cells", "--levels", "sub",
                                    "--persistence", "mean:0.001", "--segments", "branch"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const HaloTable table = io::open_catalog(output).tables.front();
  REQUIRE(table.count > 4);
  std::uint64_t empty = 0, members = 0;
  for (std::uint64_t k = 0; k < table.count; ++k) {
    const double count = table.find("GroupLen")->value(k);
    members += std::uint64_t(count);
    if (count > 0) continue;
    ++empty;
    for (int a = 0; a < 3; ++a)
      CHECK(table.find("GroupPos")->value(k, a) == table.find("GroupPeakPos")->value(k, a));
    CHECK(table.find("GroupMass")->value(k) == 0);
    CHECK(table.find("GroupCells")->value(k) > 0);
  }
  CHECK(empty > 0);
  CHECK(members > 0);
}

TEST_CASE("topology writes tables, arrays and files of VTK", "[cli][peaks]") {
  const LineRun line;
  const auto path = [&](const char* name) { return line.folder.path(name); };
  const Outcome run = run_topology(
      line.grid, path("t.csv"),
      {"-o", path("l.npy"), "-o", path("i.vti"), "--pairs", path("p.csv"), "--pairs", path("p.npy"),
       "--pairs", path("d.vtu"), "--plot", "persistence_diagram=" + path("d.svg"), "--plot",
       "persistence_curve=" + path("c.csv"), "--plot", "betti_0=" + path("b.csv")});
  INFO(run.err);
  REQUIRE(run.code == 0);
  std::string head;
  CHECK(read_array<std::int32_t>(path("l.npy"), head) ==
        std::vector<std::int32_t>{0, 0, 0, 1, 1, 2, 2});
  CHECK(head.find("(1, 1, 7)") != std::string::npos);
  CHECK(read_array<float>(path("p.npy"), head) ==
        std::vector<float>{9, kMinusInfinity, 7, 3, 4, 1});
  CHECK(head.find("(3, 2)") != std::string::npos);
  CHECK(file_bytes(path("p.csv")).find("\n7,3,3,2,0.5,0.5,3.5,0.5,0.5,2.5\n") != std::string::npos);
  CHECK(io::open_catalog(path("t.csv")).format == "haloscope peaks, CSV");
  Progress progress;
  const Grid labels = io::read_grid(path("i.vti"), {"SegmentationId", "", false}, progress);
  CHECK(labels.scalar == GridScalar::Int32);
  CHECK(labels.values<std::int32_t>()[5] == 2);
  const std::string diagram = file_bytes(path("d.vtu"));
  for (const char* name : {"ttkVertexScalarField", "CriticalType", "PairIdentifier", "PairType",
                           "Persistence", "Birth", "IsFinite"})
    CHECK(diagram.find("Name=\"" + std::string(name) + "\"") != std::string::npos);
  CHECK(file_bytes(path("d.svg")).find("<svg") != std::string::npos);
  // Two pairs end: of 4 and of 3.
  CHECK(file_bytes(path("c.csv")).find("4,1") != std::string::npos);
}

TEST_CASE("topology refuses in one sentence", "[cli][peaks]") {
  const LineRun line;
  const OutputFolder& folder = line.folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  write_grid(folder.path("nan.npy"), std::vector<float>{1, nan, 2, 3}, "(2, 2, 1)");
  write_grid(folder.path("inf.npy"), std::vector<float>{1, 2, infinity, 3}, "(2, 2, 1)");
  write_grid(folder.path("alone.npy"), std::vector<float>(4, -infinity), "(2, 2, 1)");
  write_grid(folder.path("below.npy"), std::vector<float>{1, -2, 2, 3}, "(2, 2, 1)");
  write_grid(folder.path("none.npy"), std::vector<float>{}, "(0, 2, 1)");
  write_grid(folder.path("huge.npy"), std::vector<float>{1}, "(65536, 65536, 65536)");
  put_bytes(folder.path("words.txt"), "no grid, and no snapshot\n");
  const auto fails = [&](const std::string& input, const Words& words, const std::string& why) {
    const Outcome outcome = run_topology(input, line.output, words);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(why));
  };
  fails(folder.path("nan.npy"), {}, "the value of cell (0, 1, 0) is not a number");
  fails(folder.path("inf.npy"), {}, "the value of cell (1, 0, 0) is infinite");
  fails(folder.path("alone.npy"), {}, "no cell holds a finite number");
  fails(folder.path("below.npy"), {"--log"}, "1 cells hold values below 0");
  fails(folder.path("none.npy"), {}, "has no cells");
  fails(folder.path("huge.npy"), {}, "huge.npy");
  fails(folder.path("words.txt"), {}, "words.txt");
  fails(folder.path("missing.npy"), {}, "missing.npy");
  fails(line.grid, {"--threshold", "abs:10"},
        "no cell is as high as 10: the values are from 0 to 9");
  fails(line.grid, {"--levels", "sub", "--threshold", "abs:-1"}, "no cell is as low as -1");
  fails(line.grid, {"--halos", "0.5,200"}, "no peak is above");
  fails(line.grid, {"--halos", "200,82"}, "write the boundary first");
  fails(line.grid, {"--halos", "82"}, "--halos");
  fails(line.grid, {"--halos", "1,2", "--threshold", "abs:1"}, "a boundary of their own");
  fails(line.grid, {"--halos", "1,2", "--persistence", "abs:1"}, "whole components");
  fails(line.grid, {"--voids", "0.2"}, "--voids");
  fails(line.grid, {"--voids", "0.2,x"}, "--voids");
  fails(line.grid, {"--voids", "0,-1", "--smooth", "0cells"},
        "no minimum is below -3.42857: the lowest of all is 0; give a higher one");
  fails(line.grid, {"--voids", "0.2,0.2", "--halos", "200,82"}, "are two searches");
  fails(line.grid, {"--voids", "0.2,0.2", "--method", "triplet"}, "voids are basins");
  fails(line.grid, {"--voids", "0.2,0.2", "--segments", "branch"}, "voids are basins");
  fails(line.grid, {"--voids", "0.2,0.2", "--threshold", "mean:0.15"},
        "across walls of up to 0.2 times; give a higher one, or a lower wall");
  fails(line.grid, {"--voids", "0.2,0.2", "--persistence", "abs:1"}, "joined by their walls");
  fails(line.grid, {"--threshold", "10"}, "write abs:X or mean:X");
  fails(line.grid, {"--threshold", "sigma:1"}, "write abs:X or mean:X");
  fails(line.grid, {"--persistence", "abs"}, "abs:X, mean:X, ratio:X or sigma:X");
  fails(line.grid, {"--persistence", "abs:x"}, "--persistence");
  fails(line.grid, {"--persistence", "ratio:0.5"}, "a ratio of 0.5 is below 1");
  fails(line.grid, {"--persistence", "abs:-1"}, "below 0");
  fails(line.grid, {"--persistence", "mean:2", "--log"}, "no multiple of the mean");
  write_grid(folder.path("deep.npy"), std::vector<float>{1, -2, 2, -3}, "(2, 2, 1)");
  const std::string deep = folder.path("deep.npy");
  fails(deep, {"--halos", "1,2"}, "the mean of the values is -0.5");
  fails(deep, {"--voids", "0.2,0.2", "--smooth", "0cells"}, "the mean of the values is -0.5");
  fails(deep, {"--threshold", "mean:1"}, "the mean of the values is -0.5");
  fails(deep, {"--persistence", "mean:1"}, "write abs:X");
  fails(deep, {"--persistence", "ratio:2"}, "2 cells hold values below 0, which have no ratio");
  fails(line.grid, {"--neighbors", "8"}, "14, 6, 18, 26");
  fails(line.grid, {"--periodic", "w"}, "'w' is no axis");
  fails(line.grid, {"--smooth", "9cells"}, "more than the grid's 7 along z");
  fails(line.grid, {"--grid", "8"}, "cells of its own");
  fails(line.grid, {"--types", "dm"}, "--types");
  fails(line.grid, {"--field", "Density"}, "one field");
  fails(line.grid, {"--region", "0,0,0,1,1,1"}, "taken whole");
  fails(line.grid, {"--softening", "1"}, "no gravity");
  fails(line.grid, {"--box", "10"}, "--box");
  fails(line.grid, {"--plot", "birth=" + folder.path("b.csv")}, "there is no plot 'birth'");
  fails(snapshot, {"--region", "1,1,1,5,5,5", "--periodic", "yes"}, "a region has edges");
  fails(snapshot, {"--region", "5,5,5,5,6,6"}, "--region");
  fails(snapshot, {"--grid", "0"}, "--grid");
  fails(snapshot, {"--grid", "65536"}, "--grid: 2.81475e+14 cells take ");
  fails(snapshot, {"--grid", "65536"}, "of memory, which is more than is free; choose fewer cells");
  fails(snapshot, {"--types", "stars"}, "no particles of type 4");
  fails(snapshot, {"--field", "Nothing"}, "there is no field Nothing");
  fails(snapshot, {"--field", "Velocities[0]", "--grid", "16"}, "cells have no mass");
  // In units that fit: wrong ones are warned of before the tree.
  fails(snapshot, {"--threshold", "mean:1e9", "--unit-length", "Mpc/h"}, "no cell is as high as");
  fails(snapshot, {"--dataset", "Nothing"}, "there is no dataset Nothing");
  CHECK(!std::ifstream(line.output).good());
  Outcome outcome = run_program({"topology", line.grid});
  CHECK(outcome.says("there is nothing to write"));
  outcome = run_program({"topology", line.grid, "-o", folder.path("x.txt")});
  CHECK(outcome.says(".hdf5, .csv, .npy"));
  outcome = run_program({"topology", line.grid, "--pairs", folder.path("x.hdf5")});
  CHECK(outcome.says(".csv, .npy or .vtu"));
  outcome = run_program({"topology", line.grid, "-o", line.grid, "--overwrite"});
  CHECK(outcome.says("a file that is read"));
}
