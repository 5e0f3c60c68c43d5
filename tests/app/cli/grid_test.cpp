// `haloscope grid`: density grids of snapshots in files, and what it refuses.

#include "io/grids/grid_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cmath>
#include <numeric>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr std::size_t kGas = 4000, kDark = 1000;
constexpr double kBox = 10;

// Gas with masses and energies, dark matter of mass 2.
void write_input(const std::string& path, double box = kBox, float energy = 1) {
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, box);
  std::vector<float> masses(kGas), energies(kGas, energy);
  for (std::size_t i = 0; i < kGas; ++i) masses[i] = 0.5f + float(i % 7);
  energies[17] = std::nanf("");
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, kBox));
  file.dataset("PartType0/Masses", {kGas}, masses);
  file.dataset("PartType0/InternalEnergy", {kGas}, energies);
  file.dataset("PartType0/Velocities", {kGas, 3}, some_positions(kGas, 100, 5));
  file.group("PartType1")
      .dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, kBox, 3));
  file.dataset("PartType1/Masses", {kDark}, std::vector<float>(kDark, 2.f));
}

double mass_of_gas() {
  double sum = 0;
  for (std::size_t i = 0; i < kGas; ++i) sum += 0.5 + double(i % 7);
  return sum;
}

Grid made(const std::string& path) {
  Progress progress;
  return io::read_grid(path, {}, progress);
}

double sum_of(const Grid& grid) {
  const auto* const values = grid.values<float>();
  return std::accumulate(values, values + grid.count(), 0.);
}

struct Run {
  OutputFolder folder;
  std::string snapshot = folder.path("snap.hdf5");
  Run() { write_input(snapshot); }

  Outcome grid(const std::string& name, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"grid", snapshot, "-o", folder.path(name), "--device", "cpu"});
    return run_program(words);
  }
};

}  // namespace

TEST_CASE("what was read for a region's grid is not told as lying in it", "[app][grid]") {
  const Run run;
  const auto near = run.grid("n.npy", {"--size", "4", "--region", "1,1,1,9,9,9"});
  INFO(near.out << near.err);
  CHECK(near.says("particles lie in the region, or in the cells around it"));
  CHECK_FALSE(near.says("all of it"));
  const auto log = run.grid("l.npy", {"--size", "64", "--log"});
  CHECK(log.says(" cells are empty"));
  CHECK_FALSE(log.says("cells are 0"));
}

TEST_CASE("grid writes the mass of all particles", "[cli][grids]") {
  const Run run;
  for (const char* name : {"a.hdf5", "a.npy", "a.vti"})
    for (const char* assign : {"ngp", "cic", "tsc", "kernel"}) {
      const Outcome outcome = run.grid(
          name, {"--size", "16,8,20", "--assign", assign, "--smooth", "1cell", "--overwrite"});
      INFO(outcome.err);
      REQUIRE(outcome.code == 0);
      CHECK(outcome.says("wrote "));
      const Grid grid = made(run.folder.path(name));
      CHECK(grid.cells == std::array<std::uint64_t, 3>{16, 8, 20});
      CHECK(sum_of(grid) == Approx(mass_of_gas() + 2 * kDark).epsilon(1e-6));
    }
  const Grid grid = made(run.folder.path("a.hdf5"));
  CHECK(grid.name == "mass");
  CHECK(grid.periodic == std::array<bool, 3>{true, true, true});
  CHECK(grid.spacing[0] == Approx(kBox / 16));
  CHECK(!grid.unit.empty());
}

TEST_CASE("grid of a region is a part of the whole one, also smoothed", "[cli][grids]") {
  const Run run;
  for (const std::string assign : {"cic", "tsc", "kernel"}) {
    REQUIRE(run.grid("whole.npy",
                     {"--size", "20", "--smooth", "0.6", "--assign", assign, "--overwrite"})
                .code == 0);
    const Outcome outcome =
        run.grid("part.hdf5", {"--size", "6,8,20", "--smooth", "0.6", "--assign", assign,
                               "--region", "9,2,0,12,6,10", "--overwrite"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const Grid whole = made(run.folder.path("whole.npy")),
               part = made(run.folder.path("part.hdf5"));
    CHECK(part.periodic == std::array<bool, 3>{false, false, true});
    CHECK(part.low == std::array<double, 3>{9, 2, 0});
    double furthest = 0;
    for (std::size_t x = 0; x < 6; ++x)
      for (std::size_t y = 0; y < 8; ++y)
        for (std::size_t z = 0; z < 20; ++z) {
          const float a = part.values<float>()[(x * 8 + y) * 20 + z];
          const float b = whole.values<float>()[((x + 18) % 20 * 20 + y + 4) * 20 + z];
          furthest = std::max(furthest, std::fabs(double(a) / b - 1));
        }
    CHECK(furthest < 1e-5);
  }
}

TEST_CASE("grid of counts, densities, sums and means", "[cli][grids]") {
  const Run run;
  const auto grid = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--size", "4", "--overwrite"});
    const Outcome outcome = run.grid("g.hdf5", words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return made(run.folder.path("g.hdf5"));
  };
  // Cells are rounded to float32.
  CHECK(sum_of(grid({"--quantity", "count"})) == Approx(kGas + kDark).epsilon(1e-7));
  CHECK(sum_of(grid({"--quantity", "count", "--types", "dm"})) == Approx(kDark).epsilon(1e-7));
  const Grid density = grid({"--quantity", "density"});
  CHECK(sum_of(density) * 2.5 * 2.5 * 2.5 == Approx(mass_of_gas() + 2 * kDark).epsilon(1e-6));
  CHECK(density.unit.find(")^3") != std::string::npos);
  const Grid over = grid({"--overdensity"});
  CHECK(sum_of(over) / 64 == Approx(1).epsilon(1e-6));
  CHECK(over.unit.empty());
  const Grid mean = grid({"--field", "InternalEnergy"});
  CHECK(mean.name == "mean:InternalEnergy");
  for (std::size_t i = 0; i < 64; ++i) CHECK(mean.values<float>()[i] == 1);
  CHECK(sum_of(grid({"--field", "internalenergy", "--quantity", "sum"})) ==
        Approx(kGas - 1).epsilon(1e-7));
  const Grid speed = grid({"--field", "Velocities[1]"});
  CHECK(sum_of(speed) / 64 == Approx(50).epsilon(0.05));
  const Grid plain = grid({}), log = grid({"--log"});
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(log.values<float>()[i] == float(std::log10(double(plain.values<float>()[i]))));

  Outcome outcome = run.grid("h.npy", {"--size", "3", "--field", "InternalEnergy"});
  CHECK(outcome.says("dm has no InternalEnergy"));
  CHECK(outcome.says("1 of 4000 particles have a mass or InternalEnergy that is not a finite"));
  outcome = run.grid("i.npy", {"--size", "50", "--assign", "ngp", "--log", "--stats",
                               run.folder.path("stats.json")});
  CHECK(outcome.says("their logarithm is -inf"));
  CHECK(file_bytes(run.folder.path("stats.json")).find("\"left_out\": 0") != std::string::npos);
}

TEST_CASE("grid of a snapshot without a box is around its particles", "[cli][grids]") {
  const OutputFolder folder;
  write_input(folder.path("open.hdf5"), 0);
  for (const char* assign : {"ngp", "cic", "tsc", "kernel"})
    for (const char* size : {"1", "16", "3,40,2"}) {
      const Outcome outcome = run_program(
          {"grid", folder.path("open.hdf5"), "-o", folder.path("g.hdf5"), "--size", size,
           "--assign", assign, "--device", "cpu", "--overwrite", "--smooth", "1cells"});
      INFO(outcome.err);
      REQUIRE(outcome.code == 0);
      const Grid grid = made(folder.path("g.hdf5"));
      CHECK(sum_of(grid) == Approx(mass_of_gas() + 2 * kDark).epsilon(1e-6));
      CHECK(grid.periodic == std::array<bool, 3>{false, false, false});
      CHECK(grid.low[0] >= 0);
      CHECK(grid.low[0] < 0.1);
    }
}

TEST_CASE("grid refuses in one sentence", "[cli][grids]") {
  const Run run;
  const auto fails = [&](const std::string& name, const std::vector<std::string>& words,
                         const std::string& why) {
    const Outcome outcome = run.grid(name, words);
    INFO(outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(why));
  };
  fails("g.txt", {}, ".hdf5, .npy or .vti");
  fails("g.npy", {"--size", "0"}, "--size");
  fails("g.npy", {"--size", "4,4"}, "neither one number of cells nor three");
  fails("g.npy", {"--size", "65536"}, "--size: 2.81475e+14 cells take ");
  fails("g.npy", {"--assign", "pcs"}, "cic|kernel|ngp|tsc");
  fails("g.npy", {"--smooth", "-1"}, "below 0");
  fails("g.npy", {"--smooth", "x"}, "--smooth");
  fails("g.npy", {"--size", "4", "--smooth", "5cells"}, "more than the grid's 4");
  fails("g.npy", {"--field", "Nothing"}, "there is no field Nothing");
  fails("g.npy", {"--field", "Velocities"}, "3 values per particle");
  fails("g.npy", {"--field", "InternalEnergy", "--types", "dm"}, "InternalEnergy");
  fails("g.npy", {"--quantity", "sum"}, "needs a field");
  fails("g.npy", {"--quantity", "mass", "--field", "InternalEnergy"}, "takes no field");
  fails("g.npy", {"--quantity", "weight"}, "mass, density, count, sum or mean");
  fails("g.npy", {"--overdensity", "--field", "InternalEnergy"}, "--overdensity");
  fails("g.npy", {"--region", "1,1,1,1,2,2"}, "--region");
  fails("g.npy", {"--region", "0,0,0,11,5,5", "--size", "4"},
        "longer along x than the periodic box");
  put_bytes(run.folder.path("mine.vti"), "<?xml version=\"1.0\"?><VTKFile/>");
  fails("mine.vti", {"--size", "4"}, "that haloscope wrote");
  fails("snap.hdf5", {"--size", "4", "--overwrite"}, "a file that is read");
}
