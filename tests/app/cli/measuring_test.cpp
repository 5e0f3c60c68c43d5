// `haloscope profile` and `haloscope phase`: what they write, and what they refuse.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr std::size_t kGas = 3000, kDark = 2000;
constexpr double kBox = 10;

void write_input(const std::string& path) {
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, kBox);
  std::vector<float> masses(kGas), densities(kGas), energies(kGas);
  for (std::size_t i = 0; i < kGas; ++i) {
    masses[i] = 0.5f + float(i % 7);
    densities[i] = std::exp(float(i % 23) / 3);
    energies[i] = 50 + float(i % 11) * 40;
  }
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, kBox));
  file.dataset("PartType0/Masses", {kGas}, masses);
  file.dataset("PartType0/Density", {kGas}, densities);
  file.dataset("PartType0/InternalEnergy", {kGas}, energies);
  file.dataset("PartType0/Velocities", {kGas, 3}, some_positions(kGas, 100, 5));
  file.group("PartType1")
      .dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, kBox, 3));
  file.dataset("PartType1/Masses", {kDark}, std::vector<float>(kDark, 2.f));
  file.dataset("PartType1/Velocities", {kDark, 3}, some_positions(kDark, 100, 6));
}

struct Run {
  OutputFolder folder;
  std::string snapshot = folder.path("snap.hdf5");
  Run() { write_input(snapshot); }

  Outcome of(const std::string& command, const std::string& name,
             std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {command, snapshot, "-o", folder.path(name)});
    return run_program(words);
  }
  // A fault that says `part` and writes nothing.
  void check_fault(const std::string& command, const std::string& name,
                   const std::vector<std::string>& words, const std::string& part) const {
    const auto before = folder.files();
    const Outcome outcome = of(command, name, words);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(part));
    CHECK(folder.files() == before);
  }
};

}  // namespace

TEST_CASE("a profile tells its frame, its radii and its limits", "[cli][measuring]") {
  const Run run;
  const Outcome outcome = run.of("profile", "p.csv", {"--center", "9.5,0.5,5", "--radii", "0.5,4"});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("velocities are relative to "));
  CHECK(outcome.says("the mass-weighted mean of "));
  CHECK(outcome.says("softening: not known"));
  CHECK(outcome.says("--softening gives it"));
  CHECK(outcome.says("R200"));
  CHECK(outcome.says("mean density"));
  const std::string csv = file_bytes(run.folder.path("p.csv"));
  CHECK(csv.find("type,r_low,r_high,r,count,count_within,") != std::string::npos);
  CHECK(csv.find("\nall,0.5,") != std::string::npos);
}

TEST_CASE("plots of profiles have error bars and their limits drawn", "[cli][measuring][plot]") {
  const Run run;
  const Outcome outcome = run.of(
      "profile", "p.svg",
      {"--center", "5,5,5", "--radii", "0.5,4", "--softening", "0.4", "--plot",
       "velocity=" + run.folder.path("v.svg"), "--plot", "temperature=" + run.folder.path("t.csv"),
       "--plot", "mass=" + run.folder.path("m.svg")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string svg = file_bytes(run.folder.path("p.svg"));
  CHECK(svg.find("2.8 softenings") != std::string::npos);
  CHECK(svg.find("not to be trusted") != std::string::npos);
  CHECK(file_bytes(run.folder.path("t.csv")).find("# y: T [K]") != std::string::npos);
}

TEST_CASE("what is no profile is one sentence and no file", "[cli][measuring]") {
  const Run run;
  run.check_fault("profile", "p.csv", {}, "needs a center: give it by --center");
  run.check_fault("profile", "p.csv", {"--center", "1,2"}, "--center");
  run.check_fault("profile", "p.csv", {"--structure", "0"}, "name its file by --catalog");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--catalog", "x"},
                  "choose it by --structure");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--radii", "0,2"},
                  "--radii must be above 0");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--radii", "3,2"}, "--radii");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--radii", "1,5.5"},
                  "--radii: 5.5 is beyond half the periodic box, 5");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--radii", "1e-5,1e-3"},
                  "a profile needs 10 particles, and ");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--bins", "0"}, "--bins");
  run.check_fault("profile", "p.txt", {"--center", "1,1,1"}, "name it .csv, .svg or .hdf5");
  run.check_fault("profile", "snap.hdf5", {"--center", "1,1,1"}, "would overwrite");
  run.check_fault("profile", "p.csv", {"--center", "1,1,1", "--types", "stars"},
                  "no particles of type 4");
  const Outcome nothing = run_program({"profile", run.snapshot, "--center", "1,1,1"});
  CHECK(nothing.is_fault());
  CHECK(nothing.says("there is nothing to write"));
}

TEST_CASE("a plot that is not there stops a profile before it writes", "[cli][measuring][plot]") {
  const Run run;
  run.check_fault("profile", "p.csv",
                  {"--center", "5,5,5", "--plot", "spin=" + run.folder.path("s.svg")},
                  "there is no plot 'spin'");
}

TEST_CASE("a phase diagram is of gas, weighted by mass", "[cli][measuring]") {
  const Run run;
  const Outcome outcome = run.of("phase", "h.csv");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("of gas, 3000 particles"));
  CHECK(outcome.says("x: Density"));
  CHECK(outcome.says("y: Temperature [K]"));
  REQUIRE(run.of("phase", "h.svg").code == 0);
  const std::string svg = file_bytes(run.folder.path("h.svg"));
  CHECK(svg.find("mass in a bin") != std::string::npos);
  REQUIRE(run.of("phase", "x.svg", {"--x", "Velocities[1]"}).code == 0);
}

TEST_CASE("what is no histogram is one sentence and no file", "[cli][measuring]") {
  const Run run;
  run.check_fault("phase", "h.csv", {"--y", "Density"}, "--y needs --x");
  run.check_fault("phase", "h.csv", {"--x", "Densty"}, "did you mean Density?");
  run.check_fault("phase", "h.csv", {"--x", "Velocities"}, "has 3 values per particle");
  run.check_fault("phase", "h.csv", {"--x", "Density", "--bins", "4,4"},
                  "--bins is one number for a histogram of one field");
  run.check_fault("phase", "h.csv", {"--bins", "0"}, "--bins");
  run.check_fault("phase", "h.csv", {"--range-x", "-1,4", "--x-scale", "log"},
                  "--range-x must be above 0 on a logarithmic scale");
  run.check_fault("phase", "h.csv", {"--range-x", "1e20,1e21"}, "no particle lies in the bins");
  run.check_fault("phase", "h.csv", {"--types", "dm"}, "has no density");
  run.check_fault("phase", "h.npy", {}, "name it .csv, .svg or .hdf5");
}

TEST_CASE("a measurement replaces its own kind of file only", "[cli][measuring]") {
  const Run run;
  put_bytes(run.folder.path("h.svg"), "somebody's letter");
  const Outcome refused = run.of("phase", "h.svg");
  CHECK(refused.is_fault());
  CHECK(file_bytes(run.folder.path("h.svg")) == "somebody's letter");
  CHECK(run.of("phase", "h.svg", {"--overwrite"}).code == 0);
  CHECK(run.of("phase", "h.svg").code == 0);
  CHECK(run.of("phase", "h.hdf5").code == 0);
  CHECK(run.of("phase", "h.hdf5").code == 0);
}
