// --sphere, --where and --ids-of of `haloscope convert`, against loops over all particles.

#include "io/loading/particle_ids.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr std::size_t kGas = 4000, kDark = 500;
constexpr double kBox = 10;
using Ids = std::set<std::uint64_t>;

std::uint64_t gas_id(std::size_t row) {
  return (std::uint64_t(1) << 60) + (row * 7919) % kGas;
}

// Gas with IDs and densities 0, 1, …; dark matter without densities.
void write_input(const std::string& path) {
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, kBox);
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, kBox));
  std::vector<std::uint64_t> ids;
  std::vector<float> density;
  for (std::size_t i = 0; i < kGas; ++i) {
    ids.push_back(gas_id(i));
    density.push_back(float(i));
  }
  file.dataset("PartType0/ParticleIDs", {kGas}, ids).dataset("PartType0/Density", {kGas}, density);
  file.dataset("PartType0/Velocities", {kGas, 3}, some_positions(kGas, 100, 5));
  ids.clear();
  for (std::size_t i = 0; i < kDark; ++i) ids.push_back(10 + i);
  file.group("PartType1");
  file.dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, kBox, 3));
  file.dataset("PartType1/ParticleIDs", {kDark}, ids);
}

// Gas within the radius of a point, across the edges.
bool in_sphere(const std::vector<float>& positions, std::size_t row, const double* center,
               double radius) {
  double square = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    double apart = std::abs(double(positions[3 * row + c]) - center[c]);
    apart = std::min(apart, kBox - apart);
    square += apart * apart;
  }
  return square < radius * radius;
}

Ids ids_in(const std::string& path, int type = 0) {
  const auto reader = io::open_snapshot(path);
  if (!reader->info().types.count(type)) return {};
  Progress progress;
  const auto ids = io::load_ids(*reader, type, {}, progress);
  const Ids distinct(ids.begin(), ids.end());
  CHECK(distinct.size() == ids.size());
  return distinct;
}

Outcome convert(const std::string& from, const std::string& to,
                std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"convert", from, to});
  return run_program(options);
}

}  // namespace

TEST_CASE("a sphere is copied across the edges of the box", "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from);
  const double center[] = {9.5, 5, 0.2};
  const auto positions = some_positions(kGas, kBox);
  Ids expected, upper;
  for (std::size_t i = 0; i < kGas; ++i) {
    if (!in_sphere(positions, i, center, 2)) continue;
    expected.insert(gas_id(i));
    if (positions[3 * i] >= 9) upper.insert(gas_id(i));
  }
  Outcome outcome = convert(from, to, {"--sphere", "9.5,5,0.2,2"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says(std::to_string(expected.size()) + " of 4000 gas particles are selected."));
  CHECK(ids_in(to) == expected);
  CHECK(ids_in(to, 1).size() > 5);
  outcome = convert(from, to, {"--sphere", "9.5,5,0.2,2", "--region", "9,0,0,10,10,10"});
  CHECK(ids_in(to) == upper);
  // A sample of what is in it, which stands for all of that.
  outcome = convert(from, to, {"--sphere", "9.5,5,0.2,2", "--every", "4", "--types", "gas"});
  CHECK(ids_in(to).size() == (expected.size() + 3) / 4);
  const double mass = io::open_snapshot(to)->info().types.at(0).uniform_mass;
  CHECK(mass * double(ids_in(to).size()) == Approx(double(expected.size())));
}

TEST_CASE("a range of values is copied, of types that have the field", "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from);
  Ids expected;
  for (std::size_t i = 100; i < 200; ++i) expected.insert(gas_id(i));
  Outcome outcome = convert(from, to, {"--where", "density:100,200"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(ids_in(to) == expected);
  CHECK(outcome.says("0 of 500 dm particles are selected."));
  const auto velocities = some_positions(kGas, 100, 5);
  std::erase_if(expected, [&](std::uint64_t id) {
    for (std::size_t i = 100; i < 200; ++i)
      if (gas_id(i) == id) {
        const float* v = &velocities[3 * i];
        const double speed = std::hypot(double(v[0]), double(v[1]), double(v[2]));
        return !(v[2] >= 0 && v[2] < 50 && speed < 90);
      }
    return true;
  });
  outcome = convert(
      from, to,
      {"--where", "Density:100,200", "--where", "Velocities[2]:0,50", "--where", "Speed:0,90"});
  REQUIRE(expected.size() > 3);
  CHECK(ids_in(to) == expected);
}

TEST_CASE("particles are found by the IDs of another snapshot, gas among stars", "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), part = folder.path("part.hdf5");
  write_input(from);
  REQUIRE(convert(from, part, {"--where", "Density:0,100", "--types", "gas"}).code == 0);
  // Later: 30 of these are stars, 20 are gone, the rest is gas in another order.
  const std::string later = folder.path("later.hdf5"), to = folder.path("out.hdf5");
  {
    FileWriter file(later);
    write_header(file, {3000, 0, 0, 0, 30, 0}, kBox);
    std::vector<std::uint64_t> gas, stars;
    for (std::size_t i = 3050; i-- > 50;) gas.push_back(gas_id(i));
    for (std::size_t i = 0; i < 30; ++i) stars.push_back(gas_id(i));
    file.group("PartType0").dataset("PartType0/Coordinates", {3000, 3}, some_positions(3000, kBox));
    file.dataset("PartType0/ParticleIDs", {3000}, gas);
    file.group("PartType4").dataset("PartType4/Coordinates", {30, 3}, some_positions(30, kBox));
    file.dataset("PartType4/ParticleIDs", {30}, stars);
  }
  const Outcome outcome = convert(later, to, {"--ids-of", part});
  INFO(outcome.err + outcome.out);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("80 of 100 IDs were found."));
  CHECK(ids_in(to).size() == 50);
  CHECK(ids_in(to, 4).size() == 30);
  CHECK(ids_in(to).count(gas_id(99)) == 1);
  CHECK(ids_in(to).count(gas_id(100)) == 0);
}

TEST_CASE("the snapshot that --ids-of names is not overwritten, none of its files", "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), part = folder.path("part.hdf5");
  write_input(from);
  REQUIRE(convert(from, part, {"--where", "Density:0,100"}).code == 0);
  const std::string set[] = {folder.path("set.0.hdf5"), folder.path("set.1.hdf5")};
  for (const std::size_t k : {0u, 1u}) {
    FileWriter file(set[k]);
    write_header(file, {9, 0, 0, 0, 0, 0}, kBox, {18, 0, 0, 0, 0, 0}, 2);
    file.group("PartType0").dataset("PartType0/Coordinates", {9, 3}, some_positions(9, kBox));
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < 9; ++i) ids.push_back(gas_id(9 * k + i));
    file.dataset("PartType0/ParticleIDs", {9}, ids);
  }
  const auto refuses = [&](const std::string& to, const std::string& ids_of) {
    const std::string before = file_bytes(to);
    const Outcome outcome = convert(from, to, {"--ids-of", ids_of, "--overwrite"});
    INFO(outcome.err + outcome.out);
    CHECK(outcome.is_fault());
    CHECK(outcome.says("would overwrite a file that is read"));
    CHECK(file_bytes(to) == before);
  };
  refuses(part, part);
  refuses(set[1], set[0]);
  const Outcome outcome = convert(from, folder.path("out.hdf5"), {"--ids-of", set[0]});
  CHECK(outcome.says("18 of 18 IDs were found."));
}

TEST_CASE("particles that share an ID are all found, and it is said", "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), twice = folder.path("twice.hdf5");
  write_input(from);
  {
    FileWriter file(twice);
    write_header(file, {9, 0, 0, 0, 0, 0}, kBox);
    file.group("PartType0").dataset("PartType0/Coordinates", {9, 3}, some_positions(9, kBox));
    std::vector<std::uint64_t> ids(9, gas_id(1));
    for (std::size_t i = 0; i < 6; ++i) ids[i] = gas_id(i);
    file.dataset("PartType0/ParticleIDs", {9}, ids);
  }
  const Outcome outcome = convert(twice, folder.path("out.hdf5"), {"--ids-of", from});
  INFO(outcome.err + outcome.out);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("3 particles share an ID with another: all are taken."));
  const Outcome once = convert(from, folder.path("once.hdf5"), {"--ids-of", twice});
  CHECK(once.says("6 of 6 IDs were found."));
  CHECK(!once.says("share an ID"));
}

TEST_CASE("selections that cannot be are told in one sentence, and nothing is written",
          "[selection]") {
  const OutputFolder folder;
  const std::string from = folder.path("in.hdf5"), to = folder.path("out.hdf5");
  write_input(from);
  const auto fails = [&](const std::vector<std::string>& options, const std::string& says) {
    const Outcome outcome = convert(from, to, options);
    INFO(outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(says));
  };
  fails({"--sphere", "1,2,3"}, "--sphere");
  fails({"--sphere", "1,2,3,0"}, "radius");
  fails({"--sphere", "5,5,5,1e-9"}, "no particle is in the selection");
  fails({"--where", "Density"}, "FIELD:LOW,HIGH");
  fails({"--where", "Density:5,5"}, "--where");
  fails({"--where", "Dencity:0,5"}, "did you mean Density");
  fails({"--where", "Density:-2,-1"}, "no particle is in the selection");
  fails({"--where", "Velocities:0,5"}, "Velocities[0]");
  fails({"--where", "LocalDensity:-5,0"}, "no particle is in the selection");
  fails({"--ids-of", folder.path("none.hdf5")}, "none.hdf5");
  {
    FileWriter file(folder.path("bare.hdf5"));
    write_header(file, {9, 0, 0, 0, 0, 0}, kBox);
    file.group("PartType0").dataset("PartType0/Coordinates", {9, 3}, some_positions(9, kBox));
  }
  fails({"--ids-of", folder.path("bare.hdf5")}, "no particle IDs");
  CHECK(folder.files() == std::vector<std::string>{"bare.hdf5", "in.hdf5"});
}
