// `haloscope convert`: what it writes says the same as what it read.

#include "io/loading/particle_loader.h"
#include "io/snapshots/stored_baryons.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRows = 3000;

// Row 1 is not finite, row 2 outside the box; IDs beyond 2^53, a nested field, a mass table.
// `baryons`: the group that tells OmegaBaryon.
void write_input(const std::string& path, double box = 10, const std::string& baryons = {}) {
  FileWriter file(path);
  write_header(file, {kRows, 2, 0, 0, 0, 0}, box);
  file.number("Header", "UnitLength_in_cm", 3.085678e21);
  file.number("Header", "UnitMass_in_g", 1.989e43);
  file.number("Header", "UnitVelocity_in_cm_per_s", 1e5);
  if (baryons == "Parameters") file.group(baryons);
  if (!baryons.empty()) file.number(baryons, "OmegaBaryon", 0.0482);
  std::vector<double> positions;
  for (const float x : some_positions(kRows, 10)) positions.push_back(double(x) + 1e-12);
  positions[3] = kNan;
  positions[7] = 12.25;
  positions[8] = -1e-20;
  std::vector<std::uint64_t> ids;
  std::vector<float> masses;
  std::vector<double> energy;
  for (std::size_t i = 0; i < kRows; ++i) {
    ids.push_back((std::uint64_t(1) << 60) + 3 * i + 1);
    masses.push_back(float(i) + 0.5F);
    energy.push_back(double(i) * 1e-3);
  }
  file.group("PartType0").dataset("PartType0/Coordinates", {kRows, 3}, positions);
  file.dataset("PartType0/ParticleIDs", {kRows}, ids);
  file.dataset("PartType0/Masses", {kRows}, masses);
  file.dataset("PartType0/InternalEnergy", {kRows}, energy);
  file.dataset("PartType0/Velocities", {kRows, 3}, some_positions(kRows, 100, 5));
  file.group("PartType1").dataset("PartType1/Coordinates", {2, 3}, some_positions(2, 10, 3));
}

// All values of a field, bit for bit as 64-bit numbers.
std::vector<double> values(const io::SnapshotReader& reader, int type, const std::string& field) {
  const FieldInfo* info = reader.info().types.at(type).find(field);
  REQUIRE(info);
  const auto components = std::size_t(info->components);
  std::vector<double> all(reader.info().types.at(type).count * components);
  Progress progress;
  reader.read(
      type, field,
      [&](const io::ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i)
          for (int c = 0; c < chunk.components; ++c)
            all[(chunk.first + i) * components + std::size_t(c)] = chunk.value(i, c);
      },
      progress);
  return all;
}

std::vector<std::uint64_t> ids(const io::SnapshotReader& reader) {
  std::vector<std::uint64_t> all(reader.info().types.at(0).count);
  Progress progress;
  reader.read(
      0, "ParticleIDs",
      [&](const io::ColumnChunk& chunk) {
        const auto* from = static_cast<const std::uint64_t*>(chunk.data);
        std::copy(from, from + chunk.rows, all.begin() + std::ptrdiff_t(chunk.first));
      },
      progress);
  return all;
}

Outcome convert(const std::string& from, const std::string& to,
                std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"convert", from, to});
  Outcome outcome = run_program(options);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return outcome;
}

}  // namespace

TEST_CASE("a converted snapshot holds the same particles, exactly") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from);
  for (const bool compress : {false, true}) {
    const Outcome outcome = convert(
        from, to, compress ? std::vector<std::string>{"--compress"} : std::vector<std::string>{});
    CHECK(outcome.says("gas: wrote 2999 of 3000 particles; 1 wrapped into the box, 1 left out"));
    const auto in = io::open_snapshot(from), out = io::open_snapshot(to);
    CHECK(out->info().format.find("GADGET-4") != std::string::npos);
    CHECK(out->info().box_size == 10);
    CHECK(out->info().periodic);
    CHECK(out->info().units.length_cm == in->info().units.length_cm);
    CHECK(out->info().units.per_h == in->info().units.per_h);
    CHECK(out->info().units.comoving == in->info().units.comoving);
    CHECK(out->info().cosmology.hubble_param == 0.7);
    CHECK(*out->info().cosmology.redshift == 1);
    CHECK(out->info().types.at(0).count == kRows - 1);
    CHECK(out->info().types.at(1).uniform_mass == 1);
    CHECK(out->info().types.at(0).find("Masses")->unit ==
          in->info().types.at(0).find("Masses")->unit);
    CHECK(out->info().types.at(0).find("Masses")->scalar == ScalarType::Float32);
    CHECK(out->info().types.at(0).find("InternalEnergy")->scalar == ScalarType::Float64);

    auto expected = ids(*in);
    expected.erase(expected.begin() + 1);
    CHECK(ids(*out) == expected);
    for (const char* field : {"Masses", "InternalEnergy", "Velocities", "Coordinates"}) {
      auto before = values(*in, 0, field);
      const std::size_t width = before.size() / kRows;
      before.erase(before.begin() + std::ptrdiff_t(width),
                   before.begin() + std::ptrdiff_t(2 * width));
      if (std::string(field) == "Coordinates") before[4] = 2.25, before[5] = 0;
      CHECK(values(*out, 0, field) == before);
    }
  }
  CHECK(folder.files() == std::vector<std::string>{"in.hdf5", "out.hdf5"});
}

TEST_CASE("a region and a sample of a snapshot are written, total mass kept") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from);
  const Outcome region = convert(from, to, {"--types", "gas", "--region", "8,0,0,13,10,10"});
  CHECK(region.says(
      "gas particles lie in the region, where in the box x is 8 across the edge to 3."));
  CHECK(region.out.find("1 of 3000 gas particles have positions that are not finite") !=
        std::string::npos);
  auto out = io::open_snapshot(to);
  CHECK(out->info().types.size() == 1);
  const auto positions = values(*out, 0, "Coordinates");
  for (std::size_t i = 0; i < positions.size(); i += 3)
    CHECK((positions[i] >= 8 || positions[i] < 3));
  CHECK(positions.size() / 3 == Approx(kRows / 2).epsilon(0.1));

  // A type of which the region holds nothing is named.
  const Outcome corner = convert(from, to, {"--region", "0,0,0,2.4,2.4,2.4"});
  CHECK(corner.out.find("0 of 2 dm particles lie in the region.") != std::string::npos);

  const Outcome sample = convert(from, to, {"--every", "10"});
  const auto noted = snapshot_files::read_text(to, "Provenance", "Notes");
  CHECK(noted.find("one of each 10") != std::string::npos);
  CHECK(snapshot_files::read_text(to, "Provenance", "Snapshot") == from);
  CHECK(sample.out.find("masses are multiplied by 10, other fields are as stored.") !=
        std::string::npos);
  out = io::open_snapshot(to);
  CHECK(out->info().types.at(0).count >= 299);  // one of the sample may be the row without a place
  double mass = 0;
  for (const double m : values(*out, 0, "Masses")) mass += m;
  CHECK(mass == Approx(kRows * kRows / 2.0).epsilon(0.02));
  CHECK(out->info().types.at(1).uniform_mass == 2);
}

TEST_CASE("a snapshot without a box stays without one") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"), 0);
  convert(folder.path("in.hdf5"), folder.path("out.hdf5"));
  const auto out = io::open_snapshot(folder.path("out.hdf5"));
  CHECK(out->info().box_size == 0);
  CHECK_FALSE(out->info().periodic);
  // A region cut for resimulation: Time = 1/(1 + Redshift) tells that it is cosmological.
  CHECK(out->info().cosmology.redshift == 1);
  CHECK(values(*out, 0, "Coordinates")[4] == 12.25);
}

TEST_CASE("a copy keeps the share of baryons, which mean spacings of dark matter ask for") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"));
  convert(folder.path("in.hdf5"), folder.path("out.hdf5"));
  CHECK_FALSE(io::stored_omega_baryon(io::open_snapshot(folder.path("out.hdf5"))->info()));
  for (const char* group : {"Header", "Parameters"}) {
    const std::string from = folder.path(std::string(group) + ".hdf5");
    write_input(from, 10, group);
    convert(from, folder.path("out.hdf5"));
    CHECK(io::stored_omega_baryon(io::open_snapshot(folder.path("out.hdf5"))->info()) == 0.0482);
  }
}

TEST_CASE("convert refuses to overwrite what it reads, and other mistakes") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5");
  write_input(from);
  const std::string bytes = file_bytes(from);
  Outcome outcome = run_program({"convert", from, from});
  CHECK(outcome.is_fault());
  CHECK(outcome.says("overwrite"));
  CHECK(file_bytes(from) == bytes);
  CHECK(run_program({"convert", from, folder.path("out.png")}).is_fault());
  CHECK(run_program({"convert", from, folder.path("no/out.hdf5")}).is_fault());
  CHECK(run_program({"convert", from, folder.path("o.hdf5"), "--region", "1,2,3"}).is_fault());
  CHECK(run_program({"convert", from, folder.path("o.hdf5"), "--every", "0"}).is_fault());
  outcome =
      run_program({"convert", from, folder.path("o.hdf5"), "--region", "0,0,0,1e-9,1e-9,1e-9"});
  CHECK(outcome.is_fault());
  CHECK(outcome.says("no particle lies in the region"));
  CHECK(folder.files() == std::vector<std::string>{"in.hdf5"});
}

TEST_CASE("a set whose files store a field in different types is copied exactly") {
  const OutputFolder folder;
  const std::size_t rows = 700;
  const std::uint64_t large = (std::uint64_t(1) << 60) + 1;
  for (const bool wide_first : {false, true}) {
    for (int i = 0; i < 2; ++i) {
      const bool wide = (i == 0) == wide_first;
      FileWriter file(folder.path("s." + std::to_string(i) + ".hdf5"));
      write_header(file, {std::uint32_t(rows), 0, 0, 0, 0, 0}, 10,
                   {std::uint32_t(2 * rows), 0, 0, 0, 0, 0}, 2);
      file.group("PartType0").dataset("PartType0/Coordinates", {rows, 3}, some_positions(rows, 10));
      if (wide) {
        file.dataset("PartType0/ParticleIDs", {rows}, std::vector<std::uint64_t>(rows, large));
        file.dataset("PartType0/Density", {rows}, std::vector<double>(rows, 0.1));
        file.dataset("PartType0/Odd", {rows}, std::vector<double>(rows, 0.5));
      } else {
        file.dataset("PartType0/ParticleIDs", {rows},
                     std::vector<std::uint32_t>(rows, 4000000000U));
        file.dataset("PartType0/Density", {rows}, std::vector<float>(rows, 0.1F));
        file.dataset("PartType0/Odd", {rows}, std::vector<std::int32_t>(rows, -3));
      }
    }
    convert(folder.path("s.0.hdf5"), folder.path("out.hdf5"));
    const auto out = io::open_snapshot(folder.path("out.hdf5"));
    const TypeInfo& gas = out->info().types.at(0);
    REQUIRE(gas.find("ParticleIDs")->scalar == ScalarType::UInt64);
    CHECK(gas.find("Density")->scalar == ScalarType::Float64);
    CHECK(gas.find("Odd")->scalar == ScalarType::Float64);
    const auto all = ids(*out);
    const auto density = values(*out, 0, "Density"), odd = values(*out, 0, "Odd");
    REQUIRE(all.size() == 2 * rows);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool wide = (i < rows) == wide_first;
      wrong += all[i] != (wide ? large : 4000000000U);
      wrong += density[i] != (wide ? 0.1 : double(0.1F));
      wrong += odd[i] != (wide ? 0.5 : -3);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("internal energies with a power of a become physical in the copy, temperature stays") {
  const OutputFolder folder;
  {
    FileWriter file(folder.path("in.hdf5"));
    write_header(file, {2, 0, 0, 0, 0, 0}, 10);  // a = 0.5
    file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
    file.dataset<double>("PartType0/InternalEnergy", {2}, {100, 200});
    file.number("PartType0/InternalEnergy", "to_cgs", 1e10);
    file.number("PartType0/InternalEnergy", "a_scaling", -2);
    file.number("PartType0/InternalEnergy", "velocity_scaling", 2);
  }
  const Outcome outcome = convert(folder.path("in.hdf5"), folder.path("out.hdf5"));
  CHECK(outcome.says("Internal energies carry a power of a"));
  const auto out = io::open_snapshot(folder.path("out.hdf5"));
  CHECK(values(*out, 0, "InternalEnergy") == std::vector<double>{400, 800});
  CHECK(out->info().types.at(0).find("InternalEnergy")->scaling->a == 0);
  const double kelvin =
      2.0 / 3.0 * 400 * 1e10 * 1.67262192e-24 / 1.380649e-16 * 4 / 6.8;  // fully ionized
  for (const char* name : {"in.hdf5", "out.hdf5"}) {
    Progress progress;
    const auto reader = io::open_snapshot(folder.path(name));
    const ParticleSet set = io::load_particles(*reader, {{{0, {"Temperature"}}}}, progress);
    CHECK(set.types.at(0).fields.at("Temperature")[0][0] == Approx(kelvin).epsilon(1e-5));
  }
}

TEST_CASE("velocities v/sqrt(a) become peculiar ones where the copy is not comoving") {
  const OutputFolder folder;
  {
    FileWriter file(folder.path("in.hdf5"));
    write_header(file, {2, 0, 0, 0, 0, 0}, 10);  // a = 0.5
    file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
    file.dataset<double>("PartType0/Velocities", {2, 3}, {100, 200, 300, 400, 500, 600});
  }
  const Outcome outcome =
      convert(folder.path("in.hdf5"), folder.path("out.hdf5"), {"--comoving", "no"});
  CHECK(outcome.says("written as peculiar ones"));
  const auto out = io::open_snapshot(folder.path("out.hdf5"));
  CHECK_FALSE(out->info().units.comoving);
  CHECK(out->info().types.at(0).find("Velocities")->scaling->a == 0);
  CHECK(out->info().types.at(0).find("Velocities")->unit == "km/s");
  CHECK(values(*out, 0, "Velocities")[0] == Approx(100 * std::sqrt(0.5)));
}

TEST_CASE("particles without IDs get the numbers of their rows, and it is said", "[convert]") {
  const OutputFolder folder;
  {
    FileWriter file(folder.path("in.hdf5"));
    write_header(file, {50, 0, 0, 0, 30, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {50, 3}, some_positions(50, 10));
    file.group("PartType4").dataset("PartType4/Coordinates", {30, 3}, some_positions(30, 10));
  }
  const auto run =
      run_program({"convert", folder.path("in.hdf5"), folder.path("out.hdf5"), "--every", "2"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("gas has no IDs in the file: wrote the numbers of its rows, from 1."));
  CHECK(run.says("stars has no IDs in the file: wrote the numbers of its rows, from 51."));
  // The rows that were kept, by their positions.
  const auto in = io::open_snapshot(folder.path("in.hdf5"));
  const auto out = io::open_snapshot(folder.path("out.hdf5"));
  Progress progress;
  std::set<std::uint64_t> all;
  for (const int type : {0, 4}) {
    std::vector<float> before;
    std::vector<double> after;
    std::vector<std::uint64_t> numbers;
    in->read(
        type, "Coordinates",
        [&](const io::ColumnChunk& chunk) {
          const auto* values = static_cast<const float*>(chunk.data);
          before.insert(before.end(), values, values + 3 * chunk.rows);
        },
        progress);
    out->read(
        type, "Coordinates",
        [&](const io::ColumnChunk& chunk) {
          const auto* values = static_cast<const double*>(chunk.data);
          after.insert(after.end(), values, values + 3 * chunk.rows);
        },
        progress);
    out->read(
        type, "ParticleIDs",
        [&](const io::ColumnChunk& chunk) {
          const auto* values = static_cast<const std::uint64_t*>(chunk.data);
          numbers.insert(numbers.end(), values, values + chunk.rows);
        },
        progress);
    REQUIRE(numbers.size() * 3 == after.size());
    REQUIRE(numbers.size() == (type == 0 ? 25 : 15));
    const std::uint64_t first = type == 0 ? 1 : 51;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(after[3 * k + c] == double(before.at(3 * std::size_t(numbers[k] - first) + c)));
    all.insert(numbers.begin(), numbers.end());
  }
  CHECK(all.size() == 40);
}
