// Columns beside positions that are on a device already are those of reading all anew.

#include "analysis/snapshot/resident_points.h"

#include "io/loading/particle_loader.h"
#include "io/loading/sidecar.h"
#include "tests/catch.h"
#include "tests/made/resident_points.h"
#include "tests/made/snapshot_files.h"
#include "tests/renderers.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

using namespace haloscope;
using snapshot_files::TemporaryFolder;

namespace {

constexpr std::uint32_t kGas = 600, kDark = 400;

// Some gas cannot be placed; with a box some dark matter lies outside of it.
void write_snapshot(const std::string& path, double box) {
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {kGas, kDark, 0, 0, 0, 0}, box);
  for (const std::uint32_t type : {0u, 1u}) {
    const std::uint32_t n = type == 0 ? kGas : kDark;
    std::vector<double> positions;
    std::vector<float> masses;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        positions.push_back(std::fmod(7.3 * double(i + 1) * double(axis + type + 1), 10.0));
      masses.push_back(float(i + 1));
    }
    if (type == 0) {
      positions[3 * 5 + 1] = std::numeric_limits<double>::quiet_NaN();
      positions[3 * 59] = std::numeric_limits<double>::infinity();
    } else if (box > 0) {
      positions[3 * 7] = 10.5;
    }
    const std::string group = "PartType" + std::to_string(type);
    file.group(group).dataset(group + "/Coordinates", {n, 3}, positions);
    file.dataset(group + "/Masses", {n}, masses);
  }
}

io::LoadRequest asking_for(const std::vector<int>& types) {
  io::LoadRequest load;
  for (const int type : types) load.types.push_back({type, {}});
  return load;
}

void check_same(const ParticleSet& found, const ParticleSet& expected) {
  CHECK(found.domain == expected.domain);
  CHECK(found.assumed == expected.assumed);
  REQUIRE(found.types.size() == expected.types.size());
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  for (std::size_t k = 0; k < found.types.size(); ++k) {
    const ParticleColumns &a = found.types[k], &b = expected.types[k];
    INFO("type " << b.type);
    CHECK(a.type == b.type);
    CHECK(a.count == b.count);
    for (std::size_t axis = 0; axis < 3; ++axis) CHECK(same(a.position[axis], b.position[axis]));
    CHECK(same(a.mass, b.mass));
    CHECK(a.rejected_rows == b.rejected_rows);
    CHECK(a.counts.wrapped == b.counts.wrapped);
    CHECK(a.counts.shown() == b.counts.shown());
  }
}

}  // namespace

TEST_CASE("masses beside positions on a device are those of reading all", "[snapshots][few][gpu]") {
  const TemporaryFolder folder;
  Progress progress;
  for (const double box : {10.0, 0.0}) {
    const std::string path = folder / "s.hdf5";
    write_snapshot(path, box);
    const auto reader = io::open_snapshot(path);
    REQUIRE(reader->info().periodic == (box > 0));
    const test::WithoutPositions closed(*reader);
    for (const auto& device : test::devices()) {
      INFO("box " << box << ", " << device);
      const auto resident = test::resident_points(*reader, {0, 1}, device);
      const KnownPositions known = analysis::known_positions(resident);
      io::LoadRequest load = asking_for({0, 1});
      const ParticleSet expected = io::load_particles(*reader, load, progress);
      REQUIRE(expected.types[0].rejected_rows == std::vector<std::uint64_t>{5, 59});
      if (box > 0) REQUIRE(expected.types[1].counts.wrapped == 1);
      load.known = &known;
      check_same(io::load_particles(closed, load, progress), expected);
    }
  }
}

TEST_CASE("where positions on a device are not all that is needed the others are read",
          "[snapshots]") {
  const TemporaryFolder folder;
  Progress progress;
  for (const double box : {10.0, 0.0}) {
    INFO("box " << box);
    write_snapshot(folder / "s.hdf5", box);
    const auto reader = io::open_snapshot(folder / "s.hdf5");
    const KnownPositions gas =
        analysis::known_positions(test::resident_points(*reader, {0}, compute::Device::cpu()));
    for (const std::vector<int>& types : {std::vector<int>{0, 1}, {1}, {0}}) {
      io::LoadRequest load = asking_for(types);
      const ParticleSet expected = io::load_particles(*reader, load, progress);
      load.known = &gas;
      check_same(io::load_particles(*reader, load, progress), expected);
      // Of a selection positions decide what is read.
      load.selection.every = 2;
      const ParticleSet some = io::load_particles(*reader, load, progress);
      load.known = nullptr;
      check_same(some, io::load_particles(*reader, load, progress));
    }
  }
}

TEST_CASE("a rough region of known positions has the columns of one that is read",
          "[snapshots][few][gpu]") {
  const TemporaryFolder folder;
  Progress progress;
  write_snapshot(folder / "s.hdf5", 10);
  const auto reader = io::open_snapshot(folder / "s.hdf5");
  const test::WithoutPositions closed(*reader);
  for (const auto& device : test::devices()) {
    const KnownPositions known =
        analysis::known_positions(test::resident_points(*reader, {0, 1}, device));
    const KnownPositions gas =
        analysis::known_positions(test::resident_points(*reader, {0}, device));
    io::LoadRequest load = asking_for({0, 1});
    load.rough_region = true;
    // Particles lie at tenths; the second region reaches over the edge, and the third has few rows.
    for (const io::Region& region : {io::Region{{1.05, 2.05, 0.05}, {6.05, 7.05, 9.05}},
                                     io::Region{{6.05, -3.95, 5.05}, {11.05, 3.05, 13.05}},
                                     io::Region{{2.05, 5.05, 6.55}, {3.55, 6.55, 8.05}},
                                     io::Region{{-0.05, -0.05, -0.05}, {9.95, 9.95, 9.95}}}) {
      load.selection.region = region;
      load.known = nullptr;
      ParticleSet expected = io::load_particles(*reader, load, progress);
      REQUIRE(expected.types.size() == 2);
      // The one that was wrapped is told of where positions are read.
      std::erase_if(expected.assumed, [](const std::string& sentence) {
        return sentence.find("wrapped") != std::string::npos;
      });
      expected.types[1].counts.wrapped = 0;
      load.known = &known;
      check_same(io::load_particles(closed, load, progress), expected);
      load.known = &gas;
      ParticleSet mixed = io::load_particles(*reader, load, progress);
      CHECK(mixed.types[0].positions_known);
      CHECK_FALSE(mixed.types[1].positions_known);
      mixed.types[1].counts.wrapped = 0;
      mixed.assumed = expected.assumed;
      check_same(mixed, expected);
    }
    load.selection.region = io::Region{{4.01, 4.01, 4.01}, {4.02, 4.02, 4.02}};
    load.known = &known;
    CHECK_THROWS_AS(io::load_particles(closed, load, progress), io::EmptyRegion);
    // Where each step counts, positions are read.
    load.rough_region = false;
    load.selection.region = io::Region{{1, 2, 0}, {6, 7, 9}};
    CHECK_THROWS_AS(io::load_particles(closed, load, progress), Error);
  }
}

TEST_CASE("points of files that have changed are not current", "[snapshots]") {
  const TemporaryFolder folder;
  write_snapshot(folder / "s.hdf5", 10);
  const auto reader = io::open_snapshot(folder / "s.hdf5");
  const auto resident = test::resident_points(*reader, {0}, compute::Device::cpu());
  CHECK(analysis::is_current(*resident));
  std::ofstream(folder / "s.hdf5", std::ios::app) << "more";
  CHECK_FALSE(analysis::is_current(*resident));
  // What a sidecar says may be another box.
  const auto again =
      test::resident_points(*io::open_snapshot(folder / "s.hdf5"), {0}, compute::Device::cpu());
  REQUIRE(analysis::is_current(*again));
  std::ofstream(io::sidecar_path(folder / "s.hdf5")) << "box = 20\n";
  CHECK_FALSE(analysis::is_current(*again));
}

TEST_CASE("positions in another box are not those that are known", "[snapshots]") {
  const TemporaryFolder folder;
  Progress progress;
  write_snapshot(folder / "s.hdf5", 10);
  const auto reader = io::open_snapshot(folder / "s.hdf5");
  const KnownPositions known =
      analysis::known_positions(test::resident_points(*reader, {0, 1}, compute::Device::cpu()));
  io::OpenOptions wider;
  wider.overrides.box_size = 20;
  const auto other = io::open_snapshot(folder / "s.hdf5", wider);
  io::LoadRequest load = asking_for({0, 1});
  const ParticleSet expected = io::load_particles(*other, load, progress);
  load.known = &known;
  check_same(io::load_particles(*other, load, progress), expected);
}
