#include "render/files/png_file.h"
#include "render/files/png_text.h"
#include "render/film/film.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

// Films through several snapshots, as a user runs them.

using namespace haloscope;
using haloscope::test::file_bytes;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using haloscope::test::run_program;

namespace {

constexpr double kSide = 16;
constexpr std::size_t kCount = 400;

// What one snapshot of a run has.
struct Snapshot {
  double time = 1;
  double side = kSide;
  bool ids = true, velocities = false, stars = false;
  std::uint64_t first_id = 100;
  bool repeated = false;
  bool reversed = false;       // rows from last to first
  float heat = 1, length = 1;  // factors
};

float coordinate(std::size_t i, std::size_t axis) {
  // Multiples of 1/16, so that half-way points are exact.
  return float((i * (37 + 12 * axis) + axis * i * i) % 256) / 16;
}
float speed(std::size_t i, std::size_t axis) {
  return float(int((i + axis) % 17) - 8) / 16;
}

// Gas in uniform motion since time 0, not cosmological.
std::string write_gas(const OutputFolder& folder, const std::string& name, const Snapshot& s) {
  const std::string path = folder.path(name);
  snapshot_files::FileWriter file(path);
  file.group("Header");
  const std::uint32_t stars = s.stars ? 1 : 0;
  const std::vector<std::uint32_t> counts{kCount, 0, 0, 0, stars, 0};
  file.attribute("Header", "NumPart_ThisFile", counts);
  file.attribute("Header", "NumPart_Total", counts);
  file.attribute("Header", "MassTable", std::vector<double>{1, 0, 0, 0, 1, 0});
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
  file.number("Header", "BoxSize", s.side).number("Header", "Time", s.time);
  std::vector<float> positions(3 * kCount), velocities(3 * kCount), lengths(kCount), heat(kCount);
  std::vector<std::uint64_t> ids(kCount);
  for (std::size_t row = 0; row < kCount; ++row) {
    const std::size_t i = s.reversed ? kCount - 1 - row : row;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = coordinate(i, axis) + s.time * speed(i, axis);
      positions[3 * row + axis] = float(x - kSide * std::floor(x / kSide));
      velocities[3 * row + axis] = speed(i, axis);
    }
    lengths[row] = s.length * (0.5f + 0.25f * float(i % 4));
    heat[row] = s.heat * (5 + float(i % 11));
    ids[row] = s.first_id + (s.repeated && i == 7 ? 0 : i);
  }
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {kCount, 3}, positions);
  file.dataset("PartType0/SmoothingLength", {kCount}, lengths);
  file.dataset("PartType0/Heat", {kCount}, heat);
  if (s.ids) file.dataset("PartType0/ParticleIDs", {kCount}, ids);
  if (s.velocities) file.dataset("PartType0/Velocities", {kCount, 3}, velocities);
  if (s.stars) {
    file.group("PartType4");
    file.dataset("PartType4/Coordinates", {1, 3}, std::vector<float>{1, 1, 1});
    file.dataset("PartType4/ParticleIDs", {1}, std::vector<std::uint64_t>{1});
  }
  return path;
}

std::string write_gas(const OutputFolder& folder, const std::string& name, double time,
                      bool velocities = false) {
  Snapshot s;
  s.time = time;
  s.velocities = velocities;
  return write_gas(folder, name, s);
}

// Five frames, a camera that stands.
std::string write_path(const OutputFolder& folder, const std::string& keys = {}) {
  const std::string path = folder.path("path.toml");
  put_bytes(path, "fps = 4\n[[key]]\ntime = 0\neye = [8, -30, 8]\ntarget = [8, 8, 8]\n" +
                      (keys.empty() ? "[[key]]\ntime = 1\n" : keys));
  return path;
}

std::vector<std::string> film(const std::vector<std::string>& snapshots, const std::string& path,
                              const std::string& output,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"movie"};
  words.insert(words.end(), snapshots.begin(), snapshots.end());
  for (const std::string word :
       {"--path", path.c_str(), "-o", output.c_str(), "--size", "64x36", "--device", "cpu"})
    words.push_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void require_run(const std::vector<std::string>& words) {
  const auto run = run_program(words);
  INFO(run.err);
  REQUIRE(run.code == 0);
}

std::vector<std::uint8_t> pixels(const std::string& path) {
  const Image8 image = render::read_png(path);
  return {image.pixels.begin(), image.pixels.end()};
}

nlohmann::json scene_of(const std::string& path) {
  return nlohmann::json::parse(render::read_png_text(path).at("Scene"));
}

const std::vector<std::string> kFixed{"--tone", "1,10", "--range", "5,15", "--color", "Heat:lin"};

}  // namespace

TEST_CASE("between two snapshots a film shows what a snapshot there would", "[app][series]") {
  const bool velocities = GENERATE(false, true);
  const OutputFolder folder;
  const std::string first = write_gas(folder, "first.hdf5", 1, velocities);
  const std::string second = write_gas(folder, "second.hdf5", 3, velocities);
  const std::string middle = write_gas(folder, "middle.hdf5", 2);
  const std::string path = write_path(folder);
  require_run(film({first, second}, path, folder.path("a%d.png"), kFixed));
  require_run(film({middle}, path, folder.path("m%d.png"), kFixed));
  require_run(film({first}, path, folder.path("f%d.png"), kFixed));
  require_run(film({second}, path, folder.path("s%d.png"), kFixed));
  CHECK(pixels(folder.path("a0.png")) == pixels(folder.path("f0.png")));
  CHECK(pixels(folder.path("a2.png")) == pixels(folder.path("m2.png")));
  CHECK(pixels(folder.path("a4.png")) == pixels(folder.path("s4.png")));
  CHECK(pixels(folder.path("a1.png")) != pixels(folder.path("a2.png")));

  CHECK(scene_of(folder.path("a0.png"))["snapshot"] == nlohmann::json({first}));
  const auto between = scene_of(folder.path("a1.png"));
  CHECK(between["snapshot"] == nlohmann::json({first, second}));
  CHECK(between["fraction"] == 0.25);
  CHECK(between["interpolate"] == (velocities ? "cubic" : "linear"));
  CHECK(render::read_png_text(folder.path("a1.png")).at("Source") == first + ", " + second);
}

TEST_CASE("a series in parts has the bytes of one at once, and goes on", "[app][series]") {
  const OutputFolder folder;
  std::vector<std::string> series;
  for (int n = 0; n < 3; ++n)
    series.push_back(write_gas(folder, std::to_string(n) + ".hdf5", 1 + n, true));
  const std::string path = write_path(folder);
  require_run(film(series, path, folder.path("a%d.png")));
  require_run(film(series, path, folder.path("b%d.png"), {"--from", "3"}));
  const auto rest = run_program(film(series, path, folder.path("b%d.png")));
  REQUIRE(rest.code == 0);
  CHECK(rest.says("2 of them were there already"));
  CHECK(rest.says("by cubics"));
  for (const std::string n : {"0", "1", "2", "3", "4"})
    CHECK(file_bytes(folder.path("a" + n + ".png")) == file_bytes(folder.path("b" + n + ".png")));

  const auto other = run_program(
      film(series, path, folder.path("b%d.png"), {"--interpolate", "linear", "--to", "3"}));
  CHECK(other.is_fault());
  CHECK(other.says("another interpolate"));
  const auto fewer = run_program(film({series[0], series[2]}, path, folder.path("b%d.png")));
  CHECK(fewer.is_fault());
  CHECK(fewer.says("another fraction"));
}

TEST_CASE("overlays of a film are told when each frame is", "[app][series]") {
  const OutputFolder folder;
  render::FilmRequest request;
  request.snapshots = {write_gas(folder, "first.hdf5", 1), write_gas(folder, "second.hdf5", 3)};
  request.picture.snapshot = request.snapshots.front();
  request.picture.output = folder.path("%d.png");
  request.picture.size = ::PixelSize{16, 9};
  request.picture.compute.device = "cpu";
  request.picture.quiet = true;
  request.path = write_path(folder);
  std::vector<double> times;
  std::set<std::pair<float, float>> limits;
  request.overlay = [&](const Image8& picture, const render::FilmFrame& frame) {
    times.push_back(frame.epoch.time);
    CHECK(!frame.epoch.redshift);
    REQUIRE(frame.types == std::vector<int>{0});
    limits.insert({frame.appearances[0].color.low, frame.appearances[0].color.high});
    return picture;
  };
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, "test"};
  render::run_movie(request, context);
  CHECK(times == std::vector<double>{1, 1.5, 2, 2.5, 3});
  // One pair for all, of colors that differ.
  REQUIRE(limits.size() == 1);
  CHECK(limits.begin()->first < limits.begin()->second);
}

TEST_CASE("rows may be in another order in each snapshot", "[app][series]") {
  const OutputFolder folder;
  Snapshot late;
  late.time = 3;
  const std::string first = write_gas(folder, "first.hdf5", 1), path = write_path(folder);
  const std::string same = write_gas(folder, "same.hdf5", late);
  late.reversed = true;
  const std::string reversed = write_gas(folder, "reversed.hdf5", late);
  require_run(film({first, same}, path, folder.path("a%d.png")));
  require_run(film({first, reversed}, path, folder.path("b%d.png")));
  CHECK(pixels(folder.path("a1.png")) == pixels(folder.path("b1.png")));
}

TEST_CASE("keys tell which snapshot is shown when", "[app][series]") {
  const OutputFolder folder;
  std::vector<std::string> series;
  for (int n = 0; n < 3; ++n)
    series.push_back(write_gas(folder, std::to_string(n) + ".hdf5", 1 + n));
  // Stands on snapshot 2, goes back to 1 and beyond.
  const std::string path =
      write_path(folder,
                 "snapshot = 2\n[[key]]\ntime = 0.25\n[[key]]\ntime = 0.5\nsnapshot = 1\n"
                 "[[key]]\ntime = 1\nsnapshot = 0.5\n");
  require_run(film(series, path, folder.path("a%d.png"), kFixed));
  CHECK(scene_of(folder.path("a1.png"))["snapshot"] == nlohmann::json({series[2]}));
  CHECK(scene_of(folder.path("a2.png"))["snapshot"] == nlohmann::json({series[1]}));
  CHECK(scene_of(folder.path("a4.png"))["fraction"] == 0.5);
  CHECK(pixels(folder.path("a0.png")) == pixels(folder.path("a1.png")));
  require_run(film(series, path, folder.path("n%d.png"), {"--interpolate", "none"}));
  CHECK(scene_of(folder.path("n3.png"))["snapshot"] == nlohmann::json({series[1]}));
  CHECK(scene_of(folder.path("n4.png"))["snapshot"] == nlohmann::json({series[1]}));

  require_run(film({series[1]}, write_path(folder), folder.path("m%d.png"), kFixed));
  CHECK(pixels(folder.path("a2.png")) == pixels(folder.path("m2.png")));
}

TEST_CASE("particles that come and go fade in the default mode", "[app][series]") {
  const OutputFolder folder;
  Snapshot others;
  others.time = 2;
  others.first_id = 300;  // half of them are new
  const std::string first = write_gas(folder, "first.hdf5", 1);
  const std::string second = write_gas(folder, "second.hdf5", others);
  const std::string path = write_path(folder);
  require_run(film({first, second}, path, folder.path("a%d.png"), {"--tone", "1,10"}));
  require_run(film({first, second}, path, folder.path("c%d.png"), {"--mode", "classic"}));
  // The light of all frames is that of all particles.
  const auto light = [&](const std::string& name) {
    const auto values = pixels(folder.path(name));
    return std::accumulate(values.begin(), values.end(), 0.);
  };
  CHECK(light("a2.png") == Approx(light("a0.png")).epsilon(0.2));
  // Splotch leaves out what it cannot follow.
  CHECK(light("c2.png") < 0.8 * light("c0.png"));
}

TEST_CASE("mistakes of a series are told before any work", "[app][series]") {
  const OutputFolder folder;
  const auto write = [&](const char* name, const auto& change) {
    Snapshot s;
    s.time = 2;
    change(s);
    return write_gas(folder, name, s);
  };
  const std::string first = write_gas(folder, "first.hdf5", 1), path = write_path(folder);
  const std::string second = write_gas(folder, "second.hdf5", 2);
  const std::string output = folder.path("%d.png");
  const auto fault = [&](const std::vector<std::string>& words, const std::string& part) {
    const auto run = run_program(words);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
    CHECK(!std::filesystem::exists(folder.path("0.png")));
  };
  fault(film({first, first}, path, output), "order of time");
  const auto box = write("box.hdf5", [](Snapshot& s) { s.side = 32; });
  fault(film({first, box}, path, output), "one box");
  const auto stars = write("stars.hdf5", [](Snapshot& s) { s.stars = true; });
  fault(film({first, stars}, path, output), "the same particle types");
  const auto nameless = write("nameless.hdf5", [](Snapshot& s) { s.ids = false; });
  fault(film({first, nameless}, path, output), "no particle IDs");
  fault(film({first, second}, path, output, {"--every", "2"}), "sample");
  fault(film({first, second}, path, output, {"--replicate", "2"}), "--replicate");
  fault(film({first, second}, path, output, {"--interpolate", "cubic"}), "no velocities");
  fault(film({first, second}, path, output, {"--interpolate", "quadratic"}), "cubic|linear|none");
  fault(film({first, second},
             write_path(folder, "snapshot = 1.5\n[[key]]\ntime = 1\nsnapshot = 0\n"), output),
        "0 to 1");

  // Such particles need not be followed.
  require_run(film({first, nameless}, write_path(folder), folder.path("n%d.png"),
                   {"--interpolate", "none", "--every", "2"}));
  require_run(film({first, stars}, write_path(folder), folder.path("t%d.png"),
                   {"--types", "gas", "--to", "0"}));
}

TEST_CASE("a series has the limits and the exposure of its latest snapshot", "[app][series]") {
  const OutputFolder folder;
  const auto write = [&](const std::string& name, double time, float heat, float length) {
    Snapshot s;
    s.time = time;
    s.heat = heat;
    s.length = length;
    return write_gas(folder, name, s);
  };
  const std::string first = write("a.hdf5", 1, 1, 1), second = write("b.hdf5", 2, 100, 0.5f);
  const std::vector<std::string> heat{"--color", "Heat:lin"};
  const auto check = [&](const std::string& path, int latest, const std::string& output) {
    const auto run = run_program(film({first, second}, path, output, heat));
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("exposure of frame " + std::to_string(latest) + " for all"));
    require_run({"render", second, "-o", folder.path("one.png"), "--size", "64x36", "--device",
                 "cpu", "--deterministic", "--eye", "8,-30,8", "--target", "8,8,8", "--color",
                 "Heat:lin"});
    std::string name = output;
    name.replace(name.find("%d"), 2, std::to_string(latest));
    const bool same = pixels(name) == pixels(folder.path("one.png"));
    CHECK(same);
  };
  check(write_path(folder), 4, folder.path("a%d.png"));
  // A part of the film has the same light.
  require_run(film({first, second}, write_path(folder), folder.path("part%d.png"),
                   {"--color", "Heat:lin", "--to", "1"}));
  for (const std::string n : {"0", "1"})
    CHECK(file_bytes(folder.path("part" + n + ".png")) ==
          file_bytes(folder.path("a" + n + ".png")));
  // A film that ends just before the last snapshot has its limits too.
  const std::string nearly = write_path(folder, "[[key]]\ntime = 1.01\n");
  require_run(film({first, second}, nearly, folder.path("n%d.png"), heat));
  CHECK(scene_of(folder.path("n4.png"))["limits_of"] == second);
  // Back in time.
  check(write_path(folder, "snapshot = 1\n[[key]]\ntime = 1\nsnapshot = 0\n"), 0,
        folder.path("b%d.png"));
}

TEST_CASE("snapshots of a film are put in the order of time", "[app][series]") {
  const OutputFolder folder;
  // As a shell lists them: snap_10 comes before snap_2.
  const std::string tenth = write_gas(folder, "snap_10.hdf5", 3, true);
  const std::string first = write_gas(folder, "snap_1.hdf5", 1, true);
  const std::string second = write_gas(folder, "snap_2.hdf5", 2, true);
  const std::string path = write_path(folder);
  const auto run = run_program(film({first, tenth, second}, path, folder.path("a%d.png"), kFixed));
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(
      run.says("in the order of time, which is not the one given: snap_1.hdf5, snap_2.hdf5, "
               "snap_10.hdf5."));
  const auto sorted =
      run_program(film({first, second, tenth}, path, folder.path("b%d.png"), kFixed));
  REQUIRE(sorted.code == 0);
  CHECK_FALSE(sorted.says("order of time"));
  for (const std::string n : {"0", "1", "2", "3", "4"})
    CHECK(file_bytes(folder.path("a" + n + ".png")) == file_bytes(folder.path("b" + n + ".png")));
  CHECK(scene_of(folder.path("a4.png"))["snapshot"] == nlohmann::json({tenth}));
}

TEST_CASE("snapshots without times keep the order in which they are given, said", "[app][series]") {
  const OutputFolder folder;
  const std::string one = write_gas(folder, "one.hdf5", 0), other = write_gas(folder, "a.hdf5", 0);
  const auto run = run_program(film({one, other}, write_path(folder), folder.path("a%d.png")));
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("The snapshots have no times: they are shown in the order given."));
  CHECK(scene_of(folder.path("a4.png"))["snapshot"] == nlohmann::json({other}));
}

TEST_CASE("repeated IDs are told as soon as they are read", "[app][series]") {
  const OutputFolder folder;
  Snapshot s;
  s.time = 2;
  s.repeated = true;
  const std::string first = write_gas(folder, "first.hdf5", 1);
  const auto run = run_program(film({first, write_gas(folder, "second.hdf5", s)},
                                    write_path(folder), folder.path("%d.png")));
  CHECK(run.is_fault());
  CHECK(run.says("the ID 100"));
  CHECK(run.says("second.hdf5"));
}

TEST_CASE("a region's particles are followed too", "[app][series]") {
  const OutputFolder folder;
  const std::string first = write_gas(folder, "first.hdf5", 1);
  const std::string second = write_gas(folder, "second.hdf5", 2);
  const std::string path = write_path(folder);
  const std::vector<std::string> region{"--region", "2,2,2,10,10,10"};
  auto fixed = kFixed;
  fixed.insert(fixed.end(), region.begin(), region.end());
  require_run(film({first, second}, path, folder.path("a%d.png"), fixed));
  require_run(film({second}, path, folder.path("s%d.png"), fixed));
  // All of them have one mass, and the balance is that of the first.
  CHECK(scene_of(folder.path("a2.png"))["fraction"] == 0.5);
}

TEST_CASE("whole places of a real series are its snapshots", "[app][series]") {
  const auto data = test::shared_data("data/gadget4/dm64");
  if (!data) return;
  const OutputFolder folder;
  const std::string first = *data / "snapshot_004.hdf5", second = *data / "snapshot_006.hdf5";
  const std::string path = folder.path("path.toml");
  put_bytes(path, "fps = 2\n[[key]]\n[[key]]\ntime = 1\n");
  const std::vector<std::string> fixed{"--tone",           "1,10",    "--color",
                                       "LocalDensity:log", "--range", "1,1e5",
                                       "--neighbors",      "8",       "--no-cache"};
  require_run(film({first, second}, path, folder.path("a%d.png"), fixed));
  require_run(film({first}, path, folder.path("f%d.png"), fixed));
  require_run(film({second}, path, folder.path("s%d.png"), fixed));
  CHECK(pixels(folder.path("a0.png")) == pixels(folder.path("f0.png")));
  CHECK(pixels(folder.path("a2.png")) == pixels(folder.path("s2.png")));
  CHECK(pixels(folder.path("a1.png")) != pixels(folder.path("a0.png")));
  CHECK(scene_of(folder.path("a1.png"))["interpolate"] == "cubic");
}

TEST_CASE("gas and stars of a series come back as they were", "[app][series]") {
  const auto data = test::shared_data("data/gadget4/gas48");
  if (!data) return;
  const OutputFolder folder;
  const std::string path = folder.path("path.toml");
  put_bytes(path,
            "fps = 2\n[[key]]\nsnapshot = 0\n[[key]]\ntime = 0.5\nsnapshot = 0.5\n"
            "[[key]]\ntime = 1\nsnapshot = 0\n");
  require_run(film({*data / "snapshot_002.hdf5", *data / "snapshot_003.hdf5"}, path,
                   folder.path("%d.png"), {"--neighbors", "8", "--no-cache"}));
  CHECK(pixels(folder.path("0.png")) == pixels(folder.path("2.png")));
  CHECK(pixels(folder.path("0.png")) != pixels(folder.path("1.png")));
}
