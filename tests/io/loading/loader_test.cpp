// From datasets to columns: fixed-point positions, what is rejected, and derived fields.

#include "core/error.h"
#include "io/loading/derived_fields.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

bool says(const ParticleSet& set, const std::string& part) {
  return std::any_of(set.assumed.begin(), set.assumed.end(), [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

ParticleSet load(const std::string& path, const std::vector<std::string>& fields = {}) {
  Progress progress;
  return load_particles(*open_snapshot(path), {{{0, fields}}}, progress);
}

double world(const ParticleSet& set, std::size_t row, int axis) {
  return set.domain.to_world(set.types.at(0).position[std::size_t(axis)][row], axis);
}

std::string failure(const std::string& path, const std::vector<std::string>& fields) {
  try {
    load(path, fields);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace

TEST_CASE("positions in a periodic box wrap and are counted") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", {0, 5, 10, -1, 11, 3, 2.5F, 2.5F, 2.5F}, 10);
  const ParticleSet set = load(folder / "s.hdf5");
  CHECK(set.domain.periodic);
  CHECK(set.domain.side == 10);
  CHECK(set.types.at(0).position[1][0] == 0x80000000U);
  CHECK(set.types.at(0).position[2][0] == 0);  // exactly at the far edge
  CHECK(world(set, 1, 0) == Approx(9));
  CHECK(world(set, 1, 1) == Approx(1));
  CHECK(set.types.at(0).position[0][2] == 0x40000000U);
  CHECK(says(set, "2 of 3 gas particles lie on or outside the edge of the box"));
  CHECK_FALSE(says(set, "other units"));
  CHECK(says(set, "gas has no masses in the file: took 1 for each."));
  // Who asks for no masses is told nothing of them.
  Progress progress;
  const auto reader = open_snapshot(folder / "s.hdf5");
  const ParticleSet places = load_particles(*reader, {{{0, {}, false, false}}}, progress);
  CHECK(says(places, "2 of 3 gas particles lie on or outside the edge of the box"));
  CHECK_FALSE(says(places, "masses"));

  write_gas(folder / "far.hdf5", {5000, 5, 5, 1, 1, 1}, 10);
  CHECK(says(load(folder / "far.hdf5"), "BoxSize may be in other units"));
}

TEST_CASE("the fast conversion equals Domain::to_fixed") {
  const TemporaryFolder folder;
  auto positions = some_positions(50000, 30);
  for (auto& x : positions) x -= 10;  // a third of them outside
  write_gas(folder / "s.hdf5", positions, 10);
  const ParticleSet set = load(folder / "s.hdf5");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    wrong += set.types[0].position[i % 3][i / 3] != set.domain.to_fixed(positions[i], int(i % 3));
  CHECK(wrong == 0);
}

TEST_CASE("rows without a finite position leave every column") {
  const TemporaryFolder folder;
  for (const double box : {10.0, 0.0}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {5, 0, 0, 0, 0, 0}, box);
      file.group("PartType0");
      file.dataset<float>("PartType0/Coordinates", {5, 3},
                          {kNan, 1, 1, 1, 2, 3, 4, kInf, 4, 4, 5, 6, 7, 7, -kInf});
      file.dataset<float>("PartType0/Masses", {5}, {1, 2, 3, 4, 5});
      file.dataset<float>("PartType0/SmoothingLength", {5}, {10, 0, 30, kNan, 50});
      file.dataset<float>("PartType0/Velocities", {5, 3},
                          {0, 0, 0, 3, 4, 12, 0, 0, 0, 6, 8, kNan, 0, 0, 0});
    }
    const ParticleSet set = load(folder / "s.hdf5", {"Velocities", "Velocities[1]", "Speed"});
    const ParticleColumns& gas = set.types.at(0);
    REQUIRE(gas.count == 2);
    CHECK(gas.rejected_rows == std::vector<std::uint64_t>{0, 2, 4});
    CHECK(gas.position[0].size() == 2);
    CHECK(world(set, 0, 2) == Approx(3).epsilon(1e-6));
    CHECK(world(set, 1, 1) == Approx(5).epsilon(1e-6));
    CHECK((gas.mass[0] == 2 && gas.mass[1] == 4 && gas.mass.size() == 2));
    CHECK((gas.support_radius[0] == 0 && std::isnan(gas.support_radius[1])));
    CHECK(gas.fields.at("Velocities").size() == 3);
    CHECK(gas.fields.at("Velocities")[2][0] == 12);
    CHECK(gas.fields.at("Velocities[1]")[0][1] == 8);
    CHECK(gas.fields.at("Speed")[0][0] == 13);
    CHECK(says(set, "3 of 5 gas particles have positions that are not finite"));
    CHECK(says(set, "2 of 2 gas particles have a smoothing length that is not a positive number"));
    CHECK(says(set, "1 values of Velocities of gas are not finite"));
  }
}

TEST_CASE("without a box, differences between any two positions never wrap") {
  const TemporaryFolder folder;
  const auto positions = some_positions(5000, 7);
  write_gas(folder / "s.hdf5", positions, 0);
  const ParticleSet set = load(folder / "s.hdf5");
  CHECK_FALSE(set.domain.periodic);
  CHECK(set.domain.side == Approx(14).epsilon(0.01));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& column = set.types[0].position[axis];
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    CHECK(*high - *low < 0x80000000U);
  }
  double worst = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    worst = std::max(worst, std::abs(world(set, i / 3, int(i % 3)) - double(positions[i])));
  CHECK(worst <= set.domain.step());
}

TEST_CASE("one stray particle does not eat the others' resolution") {
  const TemporaryFolder folder;
  for (const std::size_t count : {std::size_t(20), std::size_t(30000)}) {
    auto positions = some_positions(count, 1);
    positions[3 * 7] = 1e12F;
    write_gas(folder / "s.hdf5", positions, 0);
    const ParticleSet set = load(folder / "s.hdf5");
    CHECK(set.types.at(0).count == count - 1);
    CHECK(set.types[0].rejected_rows == std::vector<std::uint64_t>{7});
    CHECK(set.domain.side <= 2 * 4096 * 1.01);
    CHECK(says(set, "1 of " + std::to_string(count) + " gas particles lie more than"));
    CHECK(world(set, 7, 1) == Approx(positions[3 * 8 + 1]).margin(4e-6));

    // A thousand times farther than the rest is nothing unusual.
    positions[3 * 7] = 1000;
    write_gas(folder / "s.hdf5", positions, 0);
    CHECK(load(folder / "s.hdf5").types.at(0).count == count);
  }
}

TEST_CASE("one particle and coinciding particles get a sensible domain") {
  const TemporaryFolder folder;
  for (const float x : {0.0F, 5.0F, -3e24F})
    for (const std::size_t count : {1, 100}) {
      write_gas(folder / "s.hdf5", std::vector<float>(3 * count, x), 0);
      const ParticleSet set = load(folder / "s.hdf5");
      CHECK(set.types.at(0).count == count);
      CHECK(set.domain.side > 0);
      CHECK(std::isfinite(set.domain.side));
      CHECK(world(set, count - 1, 2) == Approx(x).margin(1e-6));
    }
}

TEST_CASE("positions that are all unusable are an error") {
  const TemporaryFolder folder;
  for (const double box : {10.0, 0.0}) {
    write_gas(folder / "s.hdf5", {kNan, 1, 1, kInf, 1, 1}, box);
    CHECK_THROWS_AS(load(folder / "s.hdf5"), Error);
  }
}

TEST_CASE("types and fields that do not exist are answered with those that do") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {2, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
    file.dataset<float>("PartType0/InternalEnergy", {2}, {1, 2});
    file.dataset<float>("PartType0/Density", {2}, {1, 2});
  }
  const std::string path = folder / "s.hdf5";
  CHECK_THAT(failure(path, {"Densty"}),
             Catch::Contains("type 0 (gas) has no field Densty; did you mean Density? It has "
                             "Coordinates, Density, InternalEnergy, Temperature"));
  CHECK_THAT(failure(path, {"Coordinates[3]"}), Catch::Contains("has 3 components"));
  CHECK_THAT(failure(path, {"Speed"}), Catch::Contains("has no field Speed"));
  Progress progress;
  const auto reader = open_snapshot(path);
  CHECK_THROWS_WITH(
      load_particles(*reader, {{{4, {}}}}, progress),
      Catch::Contains("no particles of type 4 (stars)") && Catch::Contains("it has types 0 (gas)"));
  CHECK_THROWS_AS(load_particles(*reader, {}, progress), Error);
}

TEST_CASE("memory is estimated per column") {
  SnapshotInfo info;
  info.files = {"s.hdf5"};
  TypeInfo gas;
  gas.name = "gas";
  gas.count = 1000;
  gas.fields = {{"Coordinates", 3, ScalarType::Float32, ""},
                {"Masses", 1, ScalarType::Float32, ""},
                {"Velocities", 3, ScalarType::Float32, ""},
                {"SmoothingLength", 1, ScalarType::Float32, ""}};
  gas.roles = {
      {Role::Position, "Coordinates"}, {Role::Mass, "Masses"}, {Role::Velocity, "Velocities"}};
  info.types[0] = gas;
  info.smoothing_lengths[0] = {"SmoothingLength", 1};
  CHECK(estimate_memory(info, {{{0, {}, false, false}}}) == 12000);
  CHECK(estimate_memory(info, {{{0, {}}}}) == 20000);
  CHECK(estimate_memory(info, {{{0, {"Velocities", "Speed", "Velocities[0]"}}}}) == 40000);
  info.types[0].count = std::uint64_t(1) << 50;

  struct Fake : SnapshotReader {
    explicit Fake(const SnapshotInfo& i) { info_ = i; }
    void read(int, const std::string&, const ChunkVisitor&, Progress&) const override {
      FAIL("read before the memory was checked");
    }
  };
  Progress progress;
  CHECK_THROWS_WITH(load_particles(Fake(info), {{{0, {}}}}, progress),
                    Catch::Contains("not enough memory for the particles"));
}

TEST_CASE("temperature follows from internal energy") {
  const TemporaryFolder folder;
  for (const bool electrons : {true, false}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {2, 0, 0, 0, 0, 0}, 10);
      file.number("Header", "UnitVelocity_in_cm_per_s", 2e5);
      file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
      file.dataset<float>("PartType0/InternalEnergy", {2}, {100, 200});
      if (electrons) file.dataset<float>("PartType0/ElectronAbundance", {2}, {0, 1});
    }
    const ParticleSet set = load(folder / "s.hdf5", {"Temperature"});
    const auto& t = set.types.at(0).fields.at("Temperature")[0];
    // 2/3 u mu m_p/k_B with u = 100 (2 km/s)^2; mu = 1.2195 (neutral), 0.6329, 0.5882 (ionized).
    const double per_weight = 2.0 / 3.0 * 100 * 4e10 * 1.67262192e-24 / 1.380649e-16;
    CHECK(t[0] == Approx(per_weight * (electrons ? 4 / 3.28 : 4 / 6.8)).epsilon(1e-5));
    CHECK(t[1] == Approx(2 * per_weight * (electrons ? 4 / 6.32 : 4 / 6.8)).epsilon(1e-5));
    CHECK(says(set, "fully ionized") == !electrons);
  }
}

TEST_CASE("an endless job can be cancelled while loading") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", some_positions(1000000, 10), 0);
  Progress progress([&](const std::string&, double) {});
  progress.cancel();
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK_THROWS_AS(load_particles(*reader, {{{0, {}}}}, progress), Cancelled);
}
