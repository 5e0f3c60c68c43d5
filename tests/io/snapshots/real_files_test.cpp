// Snapshots that simulations wrote, from the shared test data; skipped where those are absent.

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;

namespace {

std::optional<std::string> data_or_say(const std::string& name) {
  return shared_data(name);
}

bool says(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

ParticleSet load(const SnapshotReader& reader, const LoadRequest& request) {
  Progress progress;
  return load_particles(reader, request, progress);
}

bool same(const Array<float>& a, const Array<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("GADGET-4 dark matter: header, counts and units") {
  for (const char* number : {"004", "006"}) {
    const auto path = data_or_say(std::string("gadget4/dm64/snapshot_") + number + ".hdf5");
    if (!path) return;
    const auto reader = open_snapshot(*path);
    const SnapshotInfo& info = reader->info();
    CHECK(info.format == "GADGET-4");
    REQUIRE(info.types.size() == 1);
    CHECK(info.types.at(1).count == 262144);
    CHECK(info.types.at(1).uniform_mass == Approx(0.5093952));
    CHECK(info.types.at(1).find("Coordinates")->unit == "Mpc/h");
    CHECK(info.types.at(1).find("Velocities")->unit == "km/s*sqrt(a)");
    CHECK(info.box_size == 25);
    CHECK(info.periodic);
    CHECK(info.cosmology.hubble_param == 0.678);
    CHECK(info.cosmology.redshift ==
          Approx(std::string(number) == "004" ? 1.02 : 0.0).margin(0.01));
    CHECK(info.assumed.empty());
  }
}

TEST_CASE("GADGET-4 in four files equals the one file") {
  const auto one = data_or_say("gadget4/dm64/snapshot_006.hdf5");
  const auto four = data_or_say("gadget4/dm64_formats/multi_hdf5");
  if (!one || !four) return;
  const LoadRequest request{{{1, {"Velocities", "ParticleIDs"}}}};
  const ParticleSet a = load(*open_snapshot(*one), request);
  const auto reader = open_snapshot(*four);
  CHECK(reader->info().files.size() == 4);
  const ParticleSet b = load(*reader, request);
  REQUIRE(b.types.at(0).count == 262144);
  CHECK(b.types[0].uniform_mass == Approx(0.5093952));
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(same(a.types[0].fields.at("Velocities")[c], b.types[0].fields.at("Velocities")[c]));
  CHECK(same(a.types[0].fields.at("ParticleIDs")[0], b.types[0].fields.at("ParticleIDs")[0]));
  // The conversion moved some positions by a float32 rounding, at most 2^-20 of the box.
  std::uint32_t worst = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < a.types[0].count; ++i) {
      const auto d = std::int32_t(a.types[0].position[axis][i] - b.types[0].position[axis][i]);
      worst = std::max(worst, std::uint32_t(std::abs(std::int64_t(d))));
    }
  CHECK(worst < 4096);
}

TEST_CASE("a folder with several snapshots asks which") {
  const auto folder = data_or_say("gadget4/dm64");
  if (!folder) return;
  CHECK_THROWS_WITH(open_snapshot(*folder),
                    Catch::Contains("several snapshots (snapshot_004.hdf5, snapshot_006.hdf5)"));
  CHECK_THROWS_WITH(open_snapshot(*folder + "/fof_subhalo_tab_006.hdf5"),
                    Catch::Contains("halo catalog"));
  CHECK(open_snapshot(*folder + "/snapshot_006")->info().types.at(1).count == 262144);
}

TEST_CASE("GADGET-4 with gas and stars") {
  const auto path = data_or_say("gadget4/gas48/snapshot_003.hdf5");
  if (!path) return;
  const auto reader = open_snapshot(*path);
  const SnapshotInfo& info = reader->info();
  CHECK(info.types.at(0).count == 98202);
  CHECK(info.types.at(1).count == 110592);
  CHECK(info.types.at(4).count == 12390);
  CHECK(info.types.at(0).find("StarFormationRate")->unit == "Msun/yr");
  CHECK(info.types.at(0).find("Density")->unit == "1e10 Msun/h/(kpc/h)^3");
  CHECK(info.smoothing_lengths.at(0).field == "SmoothingLength");
  CHECK(info.smoothing_lengths.count(1) == 0);
  const ParticleSet set = load(*reader, {{{0, {"Temperature", "Density"}}, {1, {}}, {4, {}}}});
  REQUIRE(set.types.size() == 3);
  const ParticleColumns& gas = set.types[0];
  double mass = 0;
  for (const float m : gas.mass) mass += double(m);
  for (const float m : set.types[2].mass) mass += double(m);
  // Gas turned into stars keeps its mass: 48^3 times Omega_b/(Omega_m - Omega_b) of a DM particle.
  CHECK(mass ==
        Approx(110592 * set.types[1].uniform_mass * 0.0482 / (0.308 - 0.0482)).epsilon(2e-3));
  const auto [low, high] = std::minmax_element(gas.fields.at("Temperature")[0].begin(),
                                               gas.fields.at("Temperature")[0].end());
  CHECK(*low > 10);
  CHECK(*high > 1e6);
  CHECK(*high < 1e9);
  // DesNumNgb = 64: density times the kernel's volume is the mass of 64 particles.
  double neighbors = 0;
  for (std::size_t i = 0; i < gas.count; ++i)
    neighbors += double(gas.fields.at("Density")[0][i]) * 4.18879 *
                 std::pow(double(gas.support_radius[i]), 3) / double(gas.mass[i]);
  CHECK(neighbors / double(gas.count) == Approx(64).epsilon(0.1));
}

TEST_CASE("GADGET-4 with two particle types") {
  const auto path = data_or_say("real/gadget4_lcdm_gas/snapshot_004.hdf5");
  if (!path) return;
  const auto reader = open_snapshot(*path);
  CHECK(reader->info().types.size() == 2);
  CHECK(reader->info().types.at(0).count == 32768);
  CHECK(reader->info().types.at(0).uniform_mass == Approx(4.23507638));
  const ParticleSet set = load(*reader, {{{0, {"InternalEnergy"}}, {1, {"Velocities"}}}});
  CHECK(set.types[0].support_radius.size() == 32768);
  CHECK(set.types[1].support_radius.empty());
  CHECK(set.count() == 65536);
}

TEST_CASE("TNG sub-box: a missing file, tracers, chunks without particles") {
  const auto folder = data_or_say("real/tng50-4_subbox0/snapdir_2332");
  if (!folder) return;
  CHECK_THROWS_WITH(open_snapshot(*folder), Catch::Contains("snap_2332.7.hdf5 is missing"));
  CHECK_THROWS_AS(open_snapshot(*folder + "/snap_2332.10.hdf5"), BadFile);
  OpenOptions options;
  options.allow_missing_files = true;
  for (const std::string& path : {*folder, *folder + "/snap_2332.2.hdf5"}) {
    const auto reader = open_snapshot(path, options);
    const SnapshotInfo& info = reader->info();
    CHECK(info.format == "AREPO");
    CHECK(info.files.size() == 10);
    CHECK(info.types.at(0).count == 24789);
    CHECK(info.types.at(1).count == 26060);
    CHECK(info.types.at(4).count == 266);
    CHECK(info.types.at(5).count == 9);
    CHECK(info.types.count(3) == 0);
    CHECK(says(haloscope::sentences_of(info.assumed), "snap_2332.7.hdf5 is missing"));
    CHECK(says(haloscope::sentences_of(info.assumed), "PartType3"));
    CHECK(info.types.at(0).find("Coordinates")->scalar == ScalarType::Float64);
    const ParticleSet set = load(*reader, {{{0, {"Density"}}, {1, {}}, {4, {}}, {5, {"Masses"}}}});
    CHECK(set.count() == 24789 + 26060 + 266 + 9);
    CHECK(set.domain.side == 35000);
    // Gas fills the sub-box and nothing else.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& column = set.types[0].position[axis];
      const auto [low, high] = std::minmax_element(column.begin(), column.end());
      CHECK((*high - *low) * set.domain.step() < 5000);
    }
  }
}

TEST_CASE("Splotch's raw table") {
  const auto path = data_or_say("splotch/s01_perspective_log/input.bin");
  if (!path) return;
  OpenOptions::RawTable table;
  table.columns_per_row = 8;
  table.x = 1, table.y = 2, table.z = 3, table.radius = 4, table.intensity = 5;
  table.color[0] = 6, table.color[1] = 7, table.color[2] = 8;
  OpenOptions options;
  options.raw_table = &table;

  std::ifstream file(*path, std::ios::binary);
  std::vector<float> rows(std::filesystem::file_size(*path) / 4);
  file.read(reinterpret_cast<char*>(rows.data()), std::streamsize(rows.size() * 4));
  const auto reader = open_snapshot(*path, options);
  const std::uint64_t count = rows.size() / 8;
  REQUIRE(reader->info().types.at(0).count == count);
  const ParticleSet set = load(*reader, {{{0, {"Radius", "Intensity", "Color"}}}});
  const ParticleColumns& all = set.types.at(0);
  REQUIRE(all.count == count);
  CHECK_FALSE(set.domain.periodic);
  for (std::size_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis)
      REQUIRE(std::abs(set.domain.to_world(all.position[std::size_t(axis)][i], axis) -
                       double(rows[8 * i + std::size_t(axis)])) <= set.domain.step());
    REQUIRE(all.fields.at("Radius")[0][i] == rows[8 * i + 3]);
    REQUIRE(all.fields.at("Intensity")[0][i] == rows[8 * i + 4]);
    REQUIRE(all.fields.at("Color")[2][i] == rows[8 * i + 7]);
    REQUIRE(all.support_radius[i] == Approx(1.5 * rows[8 * i + 3]));
  }

  // The same bytes in the other order, and the ways a description can be wrong.
  const TemporaryFolder folder;
  for (auto& value : rows) {
    auto* bytes = reinterpret_cast<char*>(&value);
    std::swap(bytes[0], bytes[3]);
    std::swap(bytes[1], bytes[2]);
  }
  std::ofstream(folder / "swapped.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(rows.data()), std::streamsize(rows.size() * 4));
  table.swap_endian = true;
  const ParticleSet swapped =
      load(*open_snapshot(folder / "swapped.bin", options), {{{0, {"Radius"}}}});
  CHECK(same(swapped.types[0].fields.at("Radius")[0], all.fields.at("Radius")[0]));

  std::filesystem::resize_file(folder / "swapped.bin", 8 * 4 * 10 + 5);
  CHECK_THROWS_WITH(open_snapshot(folder / "swapped.bin", options),
                    Catch::Contains("5 bytes are left over"));
  table.radius = 9;
  CHECK_THROWS_WITH(open_snapshot(*path, options),
                    Catch::Contains("column r of the raw table is 9"));
  CHECK_THROWS_WITH(open_snapshot(*path), Catch::Contains("no reader knows"));
}
