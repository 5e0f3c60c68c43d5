#include "render/files/png_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sys/resource.h>

// Bad input through the program itself: the right picture, or one clear sentence and exit code 2,
// and no file left behind.

using namespace haloscope;
using haloscope::test::Outcome;
using haloscope::test::OutputFolder;
using haloscope::test::run_program;

namespace {

std::string sample() {
  return haloscope::test::sample_file();
}

struct Gas {
  std::vector<float> positions, lengths, masses;
};

std::string write_gas(const OutputFolder& folder, const Gas& gas, double box = 10) {
  const std::string path = folder.path("gas.hdf5");
  const std::size_t n = gas.positions.size() / 3;
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {std::uint32_t(n), 0, 0, 0, 0, 0}, box);
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {n, 3}, gas.positions);
  if (!gas.lengths.empty()) file.dataset("PartType0/SmoothingLength", {n}, gas.lengths);
  if (!gas.masses.empty()) file.dataset("PartType0/Masses", {n}, gas.masses);
  return path;
}

Outcome draw(const OutputFolder& folder, const std::string& snapshot,
             std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"render", snapshot, "-o",     folder.path("out.png"),
                                     "--size", "64x48",  "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

// The brightest byte of the picture that was written.
int brightest(const OutputFolder& folder) {
  const Image8 image = render::read_png(folder.path("out.png"));
  return *std::max_element(image.pixels.begin(), image.pixels.end());
}

void check_fault(const OutputFolder& folder, const Outcome& run,
                 const std::vector<std::string>& parts) {
  INFO(run.err);
  CHECK(run.is_fault());
  for (const auto& part : parts) {
    INFO(part);
    CHECK(run.says(part));
  }
  for (const auto& name : folder.files()) CHECK(name.find("out") == std::string::npos);
}

}  // namespace

TEST_CASE("files that are no snapshots get one sentence", "[bad]") {
  const OutputFolder folder;
  haloscope::test::put_bytes(folder.path("note.txt"), "no snapshot\n");
  check_fault(folder, draw(folder, folder.path("note.txt")), {"note.txt"});
  check_fault(folder, draw(folder, folder.path("nothing.hdf5")), {"nothing.hdf5"});
  check_fault(folder, draw(folder, folder.path()), {folder.path()});
  const std::string whole = haloscope::test::file_bytes(sample());
  haloscope::test::put_bytes(folder.path("cut.hdf5"), whole.substr(0, whole.size() / 2));
  check_fault(folder, draw(folder, folder.path("cut.hdf5")), {"cut.hdf5"});
}

TEST_CASE("outputs that cannot be written are told before reading", "[bad]") {
  const OutputFolder folder;
  // The snapshot does not exist: the output must be complained about first.
  auto with_output = [&](const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"render", "nowhere.hdf5", "-o", folder.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  check_fault(folder, with_output("missing/a.png"), {"missing"});
  check_fault(folder, with_output("a.jpg"), {".jpg", ".png"});
  check_fault(folder, with_output("a"), {"extension"});
  check_fault(folder, with_output("a.hdf5"), {"--map"});
  check_fault(folder, with_output("a.tga", {"--map", "surface-density"}), {".hdf5"});
  check_fault(folder, with_output("a.png", {"--stats", folder.path("no/s.json")}), {"no"});
}

TEST_CASE("an output never replaces what is read", "[bad]") {
  const OutputFolder folder;
  const std::string original = haloscope::test::file_bytes(sample());
  const std::string snapshot = folder.path("snap.hdf5");
  haloscope::test::put_bytes(snapshot, original);
  std::filesystem::create_hard_link(snapshot, folder.path("hard.hdf5"));
  std::filesystem::create_symlink(snapshot, folder.path("soft.hdf5"));
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"render", snapshot, "--size", "8x8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto run = run_program(arguments);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(haloscope::test::file_bytes(snapshot) == original);
    return run;
  };
  const std::string other = folder.path("sub") + "/../snap.hdf5";
  std::filesystem::create_directory(folder.path("sub"));
  for (const std::string& name :
       {snapshot, folder.path("hard.hdf5"), folder.path("soft.hdf5"), other}) {
    CHECK(refused({"-o", name, "--map", "surface-density"}).says("overwrite"));
    CHECK(refused({"-o", folder.path("a.png"), "--stats", name}).says("overwrite"));
  }
  CHECK(refused({"-o", folder.path("a.png"), "--stats", folder.path("sub/../a.png")}).says("two"));
  CHECK_FALSE(std::filesystem::exists(folder.path("a.png")));
  // Also where the user lets it replace other files.
  for (const std::string& name : {snapshot, folder.path("hard.hdf5")})
    CHECK(refused({"-o", name, "--map", "surface-density", "--overwrite"}).says("that is read"));
  // What lies there from an earlier run is replaced.
  for (int run = 0; run < 2; ++run)
    CHECK(run_program({"render", snapshot, "--size", "8x8", "-o", folder.path("a.png"), "--stats",
                       folder.path("s.json")})
              .code == 0);
}

TEST_CASE("an output never replaces another file of a set", "[bad]") {
  const OutputFolder folder;
  for (int i = 0; i < 2; ++i) {
    snapshot_files::FileWriter file(folder.path("s." + std::to_string(i) + ".hdf5"));
    snapshot_files::write_header(file, {1, 0, 0, 0, 0, 0}, 10, {2, 0, 0, 0, 0, 0}, 2);
    file.group("PartType0");
    file.dataset<float>("PartType0/Coordinates", {1, 3}, {5, 5, 5});
  }
  const auto run = run_program({"render", folder.path("s.0.hdf5"), "-o", folder.path("s.1.hdf5"),
                                "--map", "surface-density", "--size", "8x8"});
  INFO(run.err);
  CHECK(run.is_fault());
  CHECK(run.says("overwrite"));
  // A file of the set is away: the option that helps is named.
  std::filesystem::remove(folder.path("s.1.hdf5"));
  for (const char* command : {"info", "render"}) {
    std::vector<std::string> arguments{command, folder.path("s.0.hdf5")};
    if (command == std::string("render"))
      arguments.insert(arguments.end(), {"-o", folder.path("a.png"), "--size", "8x8"});
    const auto missing = run_program(arguments);
    INFO(missing.err);
    CHECK(missing.is_fault());
    CHECK(missing.says("--allow-missing"));
    arguments.push_back("--allow-missing-files");
    CHECK(run_program(arguments).code == 0);
  }
}

TEST_CASE("a full disk leaves no half picture", "[bad]") {
  const OutputFolder folder;
  Outcome run;
  haloscope::test::message_with_file_limit(500, [&] { run = draw(folder, sample()); });
  check_fault(folder, run, {"out.png"});
}

TEST_CASE("mistyped options are told with what was meant", "[bad]") {
  const OutputFolder folder;
  const auto fault = [&](std::vector<std::string> more, const std::vector<std::string>& parts) {
    check_fault(folder, draw(folder, sample(), more), parts);
  };
  fault({"--colour", "Density"}, {"--color"});
  fault({"--color", "Densty"}, {"Density"});
  fault({"--types", "gas", "--color", "Temprature:log"}, {"Temperature"});
  fault({"--color", "Density:exp"}, {":log"});
  fault({"--color", "Foo"}, {"no field Foo", "there are"});
  fault({"--types", "gass"}, {"gas"});
  fault({"--types", "bh"}, {"bh", "gas (0)"});
  fault({"--types", "gas,,dm"}, {"--types"});
  fault({"--color", "Density", "--range", "5,1"}, {"--range"});
  fault({"--color", "Density", "--range", "5"}, {"--range"});
  fault({"--color", "Density:log", "--range", "-1,1"}, {"logarithmic"});
  fault({"--palette", "viridiss"}, {"viridis"});
  fault({"--eye", "1,2"}, {"--eye"});
  fault({"--eye", "1,2,3", "--target", "1,2,3"}, {"same point"});
  fault({"--up", "0,0,0"}, {"--up"});
  fault({"--fov", "180"}, {"--fov"});
  fault({"--ortho", "-3"}, {"--ortho"});
  fault({"--fov", "40", "--ortho", "10"}, {"--ortho"});
  fault({"--device", "tpu"}, {"cpu"});
  fault({"--gpu-memory", "8 gigs"}, {"8G"});
  fault({"--brightness", "1,2"}, {"3 particle types"});
  fault({"--brightness", "-1"}, {"negative"});
  fault({"--smooth", "0"}, {"--smooth"});
  fault({"--repeat", "0"}, {"--repeat"});
  fault({"--map", "density"}, {"surface-density"});
  fault({"--map", "surface-density", "--fov", "50"}, {"orthographic"});
  fault({"--map", "mean:Velocities"}, {"Velocities[0]"});
  fault({"--map", "mean:Temperatur"}, {"Temperature"});
  fault({"--map", "mean:LocalDensity"}, {"LocalDensity", "choose a field"});
  check_fault(folder, run_program({"rendr", sample()}), {"render"});
  check_fault(folder, run_program({"render"}), {"SNAPSHOT"});
}

TEST_CASE("impossible sizes get a sentence, the smallest a picture", "[bad]") {
  const OutputFolder folder;
  for (const char* size : {"0x10", "20000x20000", "-5x5", "100", "axb", "10x10x10"})
    check_fault(folder,
                run_program({"render", sample(), "-o", folder.path("out.png"), "--size", size}),
                {"--size"});
  REQUIRE(run_program({"render", sample(), "-o", folder.path("out.png"), "--size", "1x1"}).code ==
          0);
  CHECK(brightest(folder) > 40);
}

TEST_CASE("few particles make the right picture", "[bad]") {
  const OutputFolder folder;
  SECTION("one") {
    REQUIRE(draw(folder, write_gas(folder, {{5, 5, 5}, {1}, {}})).code == 0);
    CHECK(brightest(folder) > 100);
  }
  SECTION("one without a smoothing length and without a box") {
    REQUIRE(draw(folder, write_gas(folder, {{5, 5, 5}, {}, {}}, 0)).code == 0);
    CHECK(brightest(folder) > 100);
  }
  SECTION("all at one point") {
    Gas gas;
    for (int i = 0; i < 100; ++i) gas.positions.insert(gas.positions.end(), {5, 5, 5});
    REQUIRE(draw(folder, write_gas(folder, gas)).code == 0);
    CHECK(brightest(folder) > 100);
    REQUIRE(draw(folder, write_gas(folder, gas, 0)).code == 0);
    CHECK(brightest(folder) > 100);
    REQUIRE(draw(folder, write_gas(folder, gas, 0), {"--map", "surface-density"}).code == 0);
    CHECK(brightest(folder) > 100);
    for (const double box : {0., 1e5})
      for (const float length : {0.f, 0.001f}) {
        Gas far;
        for (int i = 0; i < 100; ++i) {
          far.positions.insert(far.positions.end(), {700, 50, 31000});
          if (length > 0) far.lengths.push_back(length);
        }
        INFO(box << " " << length);
        for (const std::size_t count : {std::size_t(1), std::size_t(100)}) {
          far.positions.resize(3 * count, 700);
          if (length > 0) far.lengths.resize(count, length);
          REQUIRE(draw(folder, write_gas(folder, far, box)).code == 0);
          CHECK(brightest(folder) > 100);
          const Image8 image = render::read_png(folder.path("out.png"));
          // In the middle, and more than a dot.
          CHECK(int(image.at(32, 24)[0]) > 100);
          CHECK(int(image.at(31, 23)[0]) > 100);
          // An estimated length may be a good part of the box.
          CHECK(int(image.at(5, 24)[0]) <= (length > 0 ? 0 : 10));
          far.positions = {};
          for (int i = 0; i < 100; ++i) far.positions.insert(far.positions.end(), {700, 50, 31000});
          if (length > 0) far.lengths.assign(100, length);
        }
      }
  }
  SECTION("camera inside a particle") {
    const auto path = write_gas(folder, {{5, 5, 5, 5, 7, 5}, {2, 0.5}, {}});
    REQUIRE(draw(folder, path, {"--eye", "5,5,5", "--target", "5,9,5"}).code == 0);
    CHECK(brightest(folder) > 100);
  }
}

TEST_CASE("odd columns make the right picture", "[bad]") {
  const OutputFolder folder;
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  Gas gas;
  gas.positions = snapshot_files::some_positions(60, 10);
  SECTION("smoothing lengths of zero, negative, NaN and infinite") {
    gas.lengths.assign(60, 0);
    gas.lengths[1] = -1;
    gas.lengths[2] = nan;
    gas.lengths[3] = infinite;
    const auto run = draw(folder, write_gas(folder, gas));
    INFO(run.err);
    REQUIRE(run.code == 0);
  }
  SECTION("masses of zero, negative, NaN and infinite") {
    gas.masses.assign(60, 1);
    gas.masses[0] = 0;
    gas.masses[1] = -1e30f;
    gas.masses[2] = nan;
    gas.masses[3] = infinite;
    REQUIRE(draw(folder, write_gas(folder, gas)).code == 0);
  }
  SECTION("positions of NaN and infinity") {
    gas.positions[0] = nan;
    gas.positions[4] = infinite;
    REQUIRE(draw(folder, write_gas(folder, gas)).code == 0);
  }
  CHECK(brightest(folder) > 100);
}

TEST_CASE("types without particles are told", "[bad]") {
  const OutputFolder folder;
  const std::string path = folder.path("empty.hdf5");
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {0, 0, 0, 0, 0, 0}, 10);
  }
  check_fault(folder, draw(folder, path), {"empty.hdf5"});
  check_fault(folder, draw(folder, write_gas(folder, {{5, 5, 5}, {}, {}}), {"--types", "4"}),
              {"stars", "gas (0)"});
}

TEST_CASE("an empty or black picture is never silent", "[bad]") {
  const OutputFolder folder;
  // Not periodic: a periodic box follows the camera.
  const auto away = draw(folder, write_gas(folder, {{5, 5, 5}, {1}, {}}, 0),
                         {"--eye", "5,0,5", "--target", "5,-5,5"});
  CHECK(away.code == 0);
  CHECK(away.says("warning: the picture is empty"));
  Gas massless{{5, 5, 5}, {1}, {0}};
  const auto black = draw(folder, write_gas(folder, massless));
  CHECK(black.code == 0);
  CHECK(black.says("warning: the picture is black"));
  for (const std::string map : {"surface-density", "mean:Masses"}) {
    const auto empty = draw(folder, write_gas(folder, massless), {"--map", map});
    INFO(empty.err);
    CHECK(empty.code == 0);
    CHECK(empty.says("warning: the map is empty"));
  }
  const auto full =
      draw(folder, write_gas(folder, {{5, 5, 5}, {1}, {2}}), {"--map", "mean:masses"});
  INFO(full.err);
  CHECK(full.code == 0);
  CHECK(full.err.empty());
}
