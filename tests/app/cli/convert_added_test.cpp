// `haloscope convert --add`: fields that are made of all particles, against sums over all pairs.

#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/fixed_points.h"
#include "tests/made/snapshot_files.h"
#include "tests/oracles/slow_potential.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr std::size_t kGas = 700, kDark = 300, kBadRow = 5;
// Code velocity² of 1e10 Msun at a distance of 1 kpc: cm³ g⁻¹ s⁻² as GADGET-4 has it.
const double kGravity = 6.6738e-8 * 1.989e43 / (3.085678e21 * 1e10);
constexpr double kScaleFactor = 0.5;

// Gas and dark matter of different masses: positions, gas first.
struct Input {
  std::vector<float> gas, dark, gas_mass;
  double dark_mass = 3;

  double at(std::size_t i, std::size_t axis) const {
    return i < kGas ? double(gas[3 * i + axis]) : double(dark[3 * (i - kGas) + axis]);
  }
  float mass(std::size_t i) const { return i < kGas ? gas_mass[i] : float(dark_mass); }
};

// `box` 0: particles that stand alone, with lengths that are not comoving.
Input write_input(const std::string& path, double box, bool masses = true) {
  Input input{some_positions(kGas, 10), some_positions(kDark, 10, 3), {}};
  // A clump, so that potentials differ.
  for (std::size_t i = 0; i < 3 * 150; ++i) input.gas[i] = 9.9f + 0.02f * (input.gas[i] - 5);
  if (box > 0)
    for (float& x : input.gas) x = x >= 10 ? x - 10 : x;
  input.gas[3 * kBadRow] = std::numeric_limits<float>::quiet_NaN();
  FileWriter file(path);
  file.group("Header");
  file.attribute<std::uint32_t>("Header", "NumPart_ThisFile", {kGas, kDark, 0, 0, 0, 0});
  file.attribute<std::uint32_t>("Header", "NumPart_Total", {kGas, kDark, 0, 0, 0, 0});
  file.attribute<double>("Header", "MassTable", {0, masses ? input.dark_mass : 0, 0, 0, 0, 0});
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
  file.number("Header", "BoxSize", box).number("Header", "Time", kScaleFactor);
  file.number("Header", "UnitLength_in_cm", 3.085678e21)
      .number("Header", "UnitMass_in_g", 1.989e43);
  file.number("Header", "UnitVelocity_in_cm_per_s", 1e5);
  file.number("Header", "HubbleParam", 0.7).number("Header", "Redshift", box > 0 ? 1 : 0);
  file.number("Header", "Omega0", box > 0 ? 0.3 : 0).number("Header", "OmegaLambda", 0.7);
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, input.gas);
  for (std::size_t i = 0; i < kGas; ++i) input.gas_mass.push_back(0.5f + float(i % 7));
  file.dataset("PartType0/Masses", {kGas}, input.gas_mass);
  file.group("PartType1").dataset("PartType1/Coordinates", {kDark, 3}, input.dark);
  return input;
}

Outcome convert(const std::string& from, const std::string& to, std::vector<std::string> options) {
  options.insert(options.begin(), {"convert", from, to});
  return run_program(options);
}

std::vector<double> values(const std::string& path, int type, const std::string& field) {
  const auto reader = io::open_snapshot(path);
  REQUIRE(reader->info().types.at(type).find(field));
  std::vector<double> all(reader->info().types.at(type).count);
  Progress progress;
  reader->read(
      type, field,
      [&](const io::ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i) all[chunk.first + i] = chunk.value(i, 0);
      },
      progress);
  return all;
}

// Of the rows with a position, gas first, in (km/s)².
std::vector<double> found_potentials(const std::string& path) {
  std::vector<double> all = values(path, 0, "TreePotential");
  for (const double value : values(path, 1, "TreePotential")) all.push_back(value);
  return all;
}

std::vector<std::size_t> rows_with_position() {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kGas + kDark; ++i)
    if (i != kBadRow) rows.push_back(i);
  return rows;
}

// What trees are asked for: 1e-3 of the root mean square in 99 of 100, beside float32's rounding.
void check_potentials(const std::vector<double>& found, const std::vector<double>& exact) {
  REQUIRE(found.size() == exact.size());
  double square = 0;
  for (const double value : exact) square += value * value;
  const double allowed = 1e-3 * std::sqrt(square / double(exact.size()));
  std::vector<double> errors;
  for (std::size_t k = 0; k < exact.size(); ++k) errors.push_back(std::abs(found[k] - exact[k]));
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() * 99 / 100] <= allowed);
  CHECK(errors.back() <= 5 * allowed);
}

}  // namespace

TEST_CASE("a copy gets the potentials of a box in (km/s)^2", "[convert][gravity][gpu]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  const Input input = write_input(from, 10);
  const Outcome outcome = convert(from, to, {"--add", "treepotential"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("repeated as their box is"));
  CHECK(outcome.says("without softening"));
  const Domain domain{{0, 0, 0}, 10, true};
  Points points;
  std::vector<float> mass;
  for (const std::size_t i : rows_with_position()) {
    for (std::size_t a = 0; a < 3; ++a)
      points[a].push_back(domain.to_fixed(input.at(i, a), int(a)));
    mass.push_back(input.mass(i));
  }
  const HeavyPoints heavy{points, mass, domain, 0};
  const SlowEwald slow(heavy);
  std::vector<double> exact;
  for (std::size_t k = 0; k < mass.size(); ++k)
    exact.push_back(slow.potential(k) * kGravity / kScaleFactor);
  check_potentials(found_potentials(to), exact);
}

TEST_CASE("particles that stand alone have no images", "[convert][gravity][gpu]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  const Input input = write_input(from, 0);
  const Outcome outcome = convert(from, to, {"--add", "TreePotential"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("which stand alone"));
  std::vector<double> exact;
  for (const std::size_t i : rows_with_position()) {
    double sum = 0;
    for (const std::size_t j : rows_with_position()) {
      const double apart =
          std::hypot(input.at(i, 0) - input.at(j, 0), input.at(i, 1) - input.at(j, 1),
                     input.at(i, 2) - input.at(j, 2));
      if (j != i) sum -= double(input.mass(j)) / apart;
    }
    exact.push_back(sum * kGravity);
  }
  check_potentials(found_potentials(to), exact);
}

TEST_CASE("a copy keeps the softening, and so its potentials", "[convert][gravity][gpu]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), once = folder.path("once.hdf5"),
                    twice = folder.path("twice.hdf5");
  write_input(from, 10);
  {
    const hid_t file = H5Fopen(from.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "Parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    for (const auto& [name, value] :
         {std::pair<const char*, double>{"SofteningClassOfPartType1", 0},
          {"SofteningComovingClass0", 0.7},
          {"SofteningMaxPhysClass0", 0.2}}) {
      const hid_t again = H5Fopen(from.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t group = H5Gopen2(again, "Parameters", H5P_DEFAULT);
      const hid_t space = H5Screate(H5S_SCALAR);
      const hid_t attribute =
          H5Acreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
      H5Aclose(attribute);
      H5Sclose(space);
      H5Gclose(group);
      H5Fclose(again);
    }
  }
  Outcome outcome = convert(from, once, {"--add", "TreePotential"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  // At most 0.2 in physical lengths, at a scale factor of 0.5.
  CHECK(outcome.says("with the softening of dm, 0.4"));
  const std::vector<double> expected = found_potentials(once);
  REQUIRE(convert(from, once, {"--overwrite"}).code == 0);
  outcome = convert(once, twice, {"--add", "TreePotential", "--overwrite"});
  CHECK(outcome.says("with the softening of dm, 0.4"));
  const std::vector<double> found = found_potentials(twice);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-4).margin(1));
}

TEST_CASE("what is selected has the potentials of the whole, and is selected by them",
          "[convert][gravity][gpu]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), whole = folder.path("whole.hdf5"),
                    part = folder.path("part.hdf5");
  write_input(from, 10);
  REQUIRE(convert(from, whole, {"--add", "TreePotential"}).code == 0);
  const std::vector<double> all = values(whole, 0, "TreePotential");
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  const double limit = (sorted[99] + sorted[100]) / 2;
  const Outcome outcome = convert(from, part,
                                  {"--types", "gas", "--add", "TreePotential", "--where",
                                   "TreePotential:-1e30," + std::to_string(limit)});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::vector<double> expected;
  for (const double value : all)
    if (value < limit) expected.push_back(value);
  CHECK(expected.size() == 100);
  CHECK(values(part, 0, "TreePotential") == expected);
}

TEST_CASE("what the user says of a snapshot changes its potentials, kept ones too",
          "[convert][gravity][gpu]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from, 10);
  REQUIRE(convert(from, to, {"--add", "TreePotential"}).code == 0);
  const std::vector<double> once = values(to, 1, "TreePotential");
  REQUIRE(convert(from, to, {"--add", "TreePotential", "--unit-mass", "2e10Msun/h", "--overwrite"})
              .code == 0);
  const std::vector<double> twice = values(to, 1, "TreePotential");
  for (std::size_t i = 0; i < once.size(); ++i)
    CHECK(twice[i] == Approx(2 * once[i]).epsilon(1e-5));
}

TEST_CASE("a copy gets local densities as pictures have them", "[convert]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  const Input input = write_input(from, 10);
  const Outcome outcome = convert(from, to, {"--add", "LocalDensity"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::vector<double> found = values(to, 1, "LocalDensity");
  REQUIRE(found.size() == kDark);
  for (std::size_t i = 0; i < kDark; i += 13) {
    std::vector<double> distance;
    for (std::size_t j = 0; j < kDark; ++j) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        double apart = std::abs(input.at(kGas + i, a) - input.at(kGas + j, a));
        apart = std::min(apart, 10 - apart);
        square += apart * apart;
      }
      if (j != i) distance.push_back(std::sqrt(square));
    }
    std::nth_element(distance.begin(), distance.begin() + 31, distance.end());
    // Lengths are kept in float32, whose error counts three times.
    CHECK(found[i] == Approx(3 / (4 * std::numbers::pi * std::pow(distance[31], 3))).epsilon(1e-5));
  }
}

TEST_CASE("fields that cannot be added are refused, and nothing is written", "[convert]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from, 10, false);
  struct Refused {
    const char *field, *sentence;
  };
  for (const auto& [field, sentence] :
       {Refused{"TreePotential", "TreePotential is made of the masses of all particles, and "},
        Refused{"Metallicity", "there is no field Metallicity"}}) {
    const Outcome outcome = convert(from, to, {"--add", field});
    INFO(outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(sentence));
    CHECK_FALSE(std::filesystem::exists(to));
  }
  // What is stored is there already.
  const Outcome stored = convert(from, to, {"--add", "Masses"});
  CHECK(stored.code == 0);
  CHECK(stored.says("has its Masses in the copy already: not added again"));
  const Outcome other = convert(haloscope::test::sample_file(), folder.path("other.hdf5"),
                                {"--add", "Temperature,Temperature,Masses,Velocities[0]"});
  CHECK(other.code == 0);
  CHECK(other.says("dm has one mass for all, in the header: not added."));
  CHECK(other.says("Velocities[0] is one component, which is not written alone"));
  CHECK(other.says("stars has no Temperature: not added."));
  CHECK_FALSE(other.says("takes its name"));
}
