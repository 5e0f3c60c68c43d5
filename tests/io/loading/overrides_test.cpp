// What the user knows better than the file: options, the sidecar file, and what is then said.

#include "io/loading/overrides.h"

#include "core/error.h"
#include "io/loading/override_words.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/gadget_units.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace haloscope;
using namespace haloscope::io;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

Overrides overrides(const std::vector<std::pair<std::string, std::string>>& words) {
  Overrides o;
  for (const auto& [word, text] : words) find_override_word(word)->set(o, text, "--" + word);
  return o;
}

SnapshotInfo open(const std::string& path,
                  const std::vector<std::pair<std::string, std::string>>& words) {
  OpenOptions options;
  options.overrides = overrides(words);
  return open_snapshot(path, options)->info();
}

bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

// Gadget-3 without units; a = 0.5, h = 0.7.
void write_plain(const std::string& path) {
  FileWriter file(path);
  write_header(file, {4, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, some_positions(4, 10));
  file.dataset<float>("PartType0/Masses", {4}, {1, 2, 3, 4});
  file.dataset<float>("PartType0/SmoothingLength", {4}, {1, 2, 3, 4});
  file.dataset<float>("PartType0/Density", {4}, {1, 2, 3, 4});
}

}  // namespace

TEST_CASE("units in words become cgs") {
  const Overrides o = overrides(
      {{"unit-length", "3.08e21cm"}, {"unit-mass", "1e10 Msun"}, {"unit-velocity", "km/s"}});
  CHECK(*o.unit_length_cm == Approx(3.08e21));
  CHECK(*o.unit_mass_g == Approx(1.989e43));
  CHECK(*o.unit_velocity_cm_per_s == Approx(1e5));
  CHECK_FALSE(*o.length_per_h);
  CHECK(*overrides({{"unit-length", "Mpc/h"}}).length_per_h);
  CHECK(*overrides({{"unit-length", "ckpc"}}).comoving_by_unit);
  CHECK_FALSE(o.velocity_power_of_a);
  CHECK(*overrides({{"unit-velocity", "km/s * sqrt(a)"}}).velocity_power_of_a == 0.5);
  CHECK(*overrides({{"unit-velocity", "km/s*a"}}).velocity_power_of_a == 1);
  const Overrides peculiar = overrides({{"unit-velocity", "2 m/s peculiar"}});
  CHECK(*peculiar.unit_velocity_cm_per_s == Approx(200));
  CHECK(*peculiar.velocity_power_of_a == 0);
  // A later unit replaces an earlier one wholly.
  CHECK_FALSE(
      overrides({{"unit-velocity", "km/s*a"}, {"unit-velocity", "m/s"}}).velocity_power_of_a);
  for (const char* wrong : {"", "peculiar", "sqrt(a)", "km/sa", "km/s*a*a", "km/s*h"})
    CHECK_THROWS_WITH(overrides({{"unit-velocity", wrong}}), Catch::Contains("is not a velocity"));
  for (const char* wrong : {"", "kpcs", "-3kpc", "nan", "5", "1e400cm", "0kpc"})
    CHECK_THROWS_WITH(overrides({{"unit-length", wrong}}), Catch::Contains("is not a length"));
  CHECK_THROWS_WITH(overrides({{"periodic", "maybe"}}), Catch::Contains("yes or no"));
  CHECK_THROWS_WITH(overrides({{"box", "-1"}}), Catch::Contains("--box"));
  CHECK_THROWS_AS(overrides({{"hubble", "0"}}), Error);
  CHECK(*overrides({{"smoothing-means", "half-support"}}).support_per_smoothing_length == 2);
  CHECK(*overrides({{"smoothing-means", "1.5"}}).support_per_smoothing_length == 1.5);
}

TEST_CASE("a given fact replaces what was assumed, and is said") {
  const TemporaryFolder folder;
  write_plain(folder / "s.hdf5");
  const SnapshotInfo before = open(folder / "s.hdf5", {});
  CHECK(says(before, "Units are not in the file"));
  CHECK(says(before, "taken as periodic"));

  SnapshotInfo info = open(folder / "s.hdf5", {{"unit-length", "Mpc/h"}});
  CHECK(info.units.length_cm == Approx(3.085678e24));
  CHECK(info.types.at(0).find(Role::Position)->unit == "Mpc/h");
  CHECK(info.types.at(0).find(Role::Density)->unit == "1e10 Msun/h/(Mpc/h)^3");
  CHECK_FALSE(says(info, "Units are not in the file"));
  CHECK(says(info, "The units of mass and velocity are not in the file: took 1e10 Msun/h, km/s."));
  CHECK(says(info, "Given: lengths in Mpc/h."));

  // Without 1/h in lengths there is none in masses; what is not given stays the same mass.
  info = open(folder / "s.hdf5", {{"unit-length", "kpc"}});
  CHECK_FALSE(info.units.per_h);
  CHECK(info.units.mass_g == Approx(1.989e43 / 0.7));
  CHECK_THROWS_WITH(open(folder / "s.hdf5", {{"unit-length", "kpc"}, {"unit-mass", "Msun/h"}}),
                    Catch::Contains("give both with /h or both without"));

  info = open(folder / "s.hdf5", {{"periodic", "no"}});
  CHECK_FALSE(info.periodic);
  CHECK_FALSE(says(info, "taken as periodic"));
  CHECK(open(folder / "s.hdf5", {{"box", "20"}}).box_size == 20);
  CHECK_FALSE(open(folder / "s.hdf5", {{"box", "0"}}).periodic);
  CHECK_THROWS_WITH(open(folder / "s.hdf5", {{"box", "0"}, {"periodic", "yes"}}),
                    Catch::Contains("a periodic box needs a side"));
  CHECK(open(folder / "s.hdf5", {{"hubble", "0.5"}}).cosmology.hubble_param == 0.5);

  info = open(folder / "s.hdf5", {{"smoothing-means", "half-support"}});
  CHECK(info.smoothing_lengths.at(0).support_per_value == 2);
  CHECK(says(info, "The kernel's radius is 2 times SmoothingLength of gas: given."));
  CHECK(open(folder / "s.hdf5", {{"smoothing-means", "volume"}}).smoothing_lengths.at(0).kind ==
        SmoothingLengthMeaning::Kind::Volume);
}

TEST_CASE("velocities are told with the power of a that is taken, whatever is given") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  {
    FileWriter file(path);
    write_header(file, {4, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, some_positions(4, 10));
    file.dataset("PartType0/Velocities", {4, 3}, some_positions(4, 10));
  }
  CHECK(says(open(path, {}), "took kpc/h, 1e10 Msun/h, km/s*sqrt(a)."));
  SnapshotInfo info = open(path, {{"unit-length", "Mpc/h"}});
  CHECK(says(info,
             "units of mass and velocity are not in the file: took 1e10 Msun/h, "
             "km/s*sqrt(a)."));
  const auto given = [&](const std::string& unit, double power, const std::string& told) {
    info = open(path, {{"unit-velocity", unit}});
    INFO(unit);
    CHECK(says(info, "Given: velocities in " + told + "."));
    const FieldInfo& velocity = *info.types.at(0).find(Role::Velocity);
    CHECK(velocity.scaling->a == power);
    CHECK(velocity.scaling->to_cgs == Approx(info.units.velocity_cm_per_s));
    CHECK(told.starts_with(velocity.unit));
  };
  given("km/s", 0.5, "km/s*sqrt(a)");
  given("m/s", 0.5, "m/s*sqrt(a)");
  given("m/s*sqrt(a)", 0.5, "m/s*sqrt(a)");
  given("km/s*a", 1, "km/s*a");
  given("km/s peculiar", 0, "km/s (peculiar)");
}

TEST_CASE("a power of a is given to velocities that have no unit of their own") {
  SnapshotInfo info;
  TypeInfo& dm = info.types[1];
  dm.fields = {{"vel", 3, ScalarType::Float32, ""}, {"wind", 3, ScalarType::Float32, ""}};
  dm.roles = {{Role::Velocity, "vel"}};
  apply_overrides(overrides({{"unit-velocity", "km/s*a"}}), info);
  REQUIRE(dm.find("vel")->scaling);
  CHECK(dm.find("vel")->scaling->a == 1);
  CHECK(dm.find("vel")->unit == "km/s*a");
  CHECK_FALSE(dm.find("wind")->scaling);
}

TEST_CASE("the file's own scalings follow given units") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {4, 0, 0, 0, 0, 0}, 10);
    file.number("Header", "UnitLength_in_cm", 3.085678e21);
    file.number("Header", "UnitMass_in_g", 1.989e43);
    file.number("Header", "UnitVelocity_in_cm_per_s", 1e5);
    file.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, some_positions(4, 10));
    const std::string positions = "PartType0/Coordinates";
    file.number(positions, "to_cgs", 3.085678e21).number(positions, "a_scaling", 1);
    file.number(positions, "h_scaling", -1).number(positions, "length_scaling", 1);
  }
  const SnapshotInfo info = open(folder / "s.hdf5", {{"unit-length", "Mpc"}});
  const FieldScaling scaling = *info.types.at(0).find(Role::Position)->scaling;
  CHECK(scaling.to_cgs == Approx(3.085678e24));
  CHECK(scaling.h == 0);
  CHECK(scaling.a == 1);
}

TEST_CASE("an override relabels only what it concerns") {
  SnapshotInfo info;
  info.units.comoving = info.units.per_h = true;
  TypeInfo& dm = info.types[1];
  dm.name = "dm";
  dm.fields = {{"Coordinates", 3, ScalarType::Float32, "kpc/h"},
               {"Velocities", 3, ScalarType::Float32, "km/s"},
               {"Density", 1, ScalarType::Float32, "Msun/pc^3"}};
  dm.roles = {{Role::Position, "Coordinates"}, {Role::Velocity, "Velocities"}};
  SnapshotInfo boxed = info;
  apply_overrides(overrides({{"box", "10"}}), boxed);
  CHECK(boxed.types.at(1).find("Velocities")->unit == "km/s");
  SnapshotInfo longer = info;
  apply_overrides(overrides({{"unit-length", "Mpc/h"}}), longer);
  CHECK(longer.types.at(1).find("Coordinates")->unit == "Mpc/h");
  CHECK(longer.types.at(1).find("Velocities")->unit == "km/s");
  CHECK(longer.types.at(1).find("Density")->unit == "Msun/pc^3");
}

TEST_CASE("powers of a and h that the code units do not say stand in the unit") {
  Units units;
  FieldScaling velocity{1e5, 0.5, 0, 0, 0, 1};
  CHECK(unit_by_scaling(velocity, units) == "km/s*sqrt(a)");
  velocity.h = 1;
  CHECK(unit_by_scaling(velocity, units) == "km/s*sqrt(a)*h^1");
  CHECK(unit_by_scaling({7, -3, 2}, units) == "7 cgs*a^-3*h^2");
  units.comoving = units.per_h = true;
  CHECK(unit_by_scaling({units.length_cm, 1, -1, 1, 0, 0}, units) == "kpc/h");
}

TEST_CASE("a factor on smoothing lengths concerns cells too, words do not") {
  using Kind = SmoothingLengthMeaning::Kind;
  SnapshotInfo info;
  info.types[0].name = "gas";
  info.types[1].name = "dm";
  info.smoothing_lengths[0] = {"Masses", 2, Kind::MassOverDensity, "Density"};
  info.assumed = {{"The cells have no smoothing length.", {Fact::Smoothing}}};
  SnapshotInfo by_factor = info;
  apply_overrides(overrides({{"smoothing-means", "1.5"}}), by_factor);
  CHECK(by_factor.smoothing_lengths.at(0).support_per_value == 1.5);
  CHECK(by_factor.smoothing_lengths.at(0).kind == Kind::MassOverDensity);
  CHECK(says(by_factor, "1.5 times the radius of a sphere of Masses over Density of gas: given."));
  CHECK_FALSE(says(by_factor, "The cells have no smoothing length."));
  SnapshotInfo by_word = info;
  apply_overrides(overrides({{"smoothing-means", "half-support"}}), by_word);
  CHECK(by_word.smoothing_lengths.at(0).support_per_value == 2);
  CHECK(says(by_word, "The cells have no smoothing length."));
  CHECK(says(by_word, "smoothing-means takes only volume or a factor"));
  SnapshotInfo both = info;
  both.smoothing_lengths[1] = {"SubfindHsml", 1};
  apply_overrides(overrides({{"smoothing-means", "sigma"}}), both);
  CHECK(both.smoothing_lengths.at(0).support_per_value == 2);
  CHECK(both.smoothing_lengths.at(1).support_per_value == Approx(3.651484));
  CHECK(says(both, "2 times the radius of a sphere of Masses over Density of gas: the cells"));
  SnapshotInfo none = info;
  none.smoothing_lengths.clear();
  apply_overrides(overrides({{"smoothing-means", "1.5"}}), none);
  CHECK(says(none, "There is no smoothing length in the file"));
  // An earlier source's word falls with its factor.
  CHECK_FALSE(overrides({{"smoothing-means", "volume"}, {"smoothing-means", "2"}})
                  .smoothing_kind.has_value());
}

TEST_CASE("comoving lengths are taken back with the unit that said so") {
  auto comoving = [](const std::vector<std::pair<std::string, std::string>>& words, bool before) {
    SnapshotInfo info;
    info.units.comoving = before;
    apply_overrides(overrides(words), info);
    return info.units.comoving;
  };
  CHECK(comoving({{"unit-length", "ckpc"}}, false));
  CHECK_FALSE(comoving({{"unit-length", "ckpc/h"}, {"unit-length", "kpc"}}, false));
  CHECK(comoving({{"unit-length", "kpc"}}, true));
  CHECK_FALSE(comoving({{"comoving", "no"}}, true));
  CHECK(comoving({{"comoving", "no"}, {"unit-length", "ckpc"}}, false));
  CHECK_FALSE(comoving({{"unit-length", "ckpc"}, {"comoving", "no"}}, true));
}

TEST_CASE("whether lengths are comoving is said beside their unit, in any order") {
  const OutputFolder folder;
  const std::string path = folder.path("s.csv");
  put_bytes(path, "x,y,z\n1,2,3\n");
  auto comoving = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"info", path, "--json"});
    return nlohmann::json::parse(run_program(more).out)["units"]["comoving"].get<bool>();
  };
  CHECK(comoving({"--unit-length", "kpc", "--comoving", "yes"}));
  put_bytes(path + ".haloscope.toml", "comoving = \"no\"\nunit-length = \"ckpc/h\"\n");
  CHECK_FALSE(comoving({}));
  put_bytes(path + ".haloscope.toml", "unit-length = \"ckpc/h\"\n");
  CHECK(comoving({}));
  CHECK_FALSE(comoving({"--unit-length", "kpc"}));
  CHECK_FALSE(comoving({"--comoving", "no"}));
  // What was said in so many words outlives another unit, not one that says the contrary.
  put_bytes(path + ".haloscope.toml", "unit-length = \"kpc\"\ncomoving = true\n");
  CHECK(comoving({"--unit-length", "Mpc"}));
  put_bytes(path + ".haloscope.toml", "unit-length = \"kpc\"\ncomoving = false\n");
  CHECK(comoving({"--unit-length", "cMpc"}));
}

TEST_CASE("saved options join those saved before") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5"), sidecar = path + ".haloscope.toml";
  write_plain(path);
  REQUIRE(run_program({"info", path, "--box", "12", "--hubble", "0.6", "--save-overrides"}).code ==
          0);
  const Outcome second = run_program({"info", path, "--box", "13", "--save-overrides"});
  CHECK_THAT(second.out, Catch::Contains("kept from before: hubble = 0.6"));
  const std::string text = file_bytes(sidecar);
  CHECK(text.find("box = \"13\"") != std::string::npos);
  CHECK(text.find("hubble = \"0.6\"") != std::string::npos);
}

TEST_CASE("a sidecar file keeps the options, the command line wins") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5"), sidecar = path + ".haloscope.toml";
  write_plain(path);
  auto info = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"info", path, "--json"});
    const Outcome outcome = run_program(more);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(outcome.out);
  };
  info({"--unit-length", "Mpc/h", "--box", "12", "--save-overrides"});
  CHECK(file_bytes(sidecar).find("unit-length = \"Mpc/h\"") != std::string::npos);
  CHECK(info({})["box_size"] == 12);
  CHECK(info({})["units"]["length_cm"].get<double>() == Approx(3.085678e24));
  CHECK(info({"--box", "13"})["box_size"] == 13);
  put_bytes(sidecar, "box = 14\nperiodic = false\n");
  CHECK(info({})["box_size"] == 14);
  CHECK(info({})["periodic"] == false);

  auto fault = [&](const std::string& text) {
    put_bytes(sidecar, text);
    const Outcome outcome = run_program({"info", path});
    CHECK(outcome.is_fault());
    return outcome.err;
  };
  CHECK_THAT(fault("box = 1\n\nunit-lenght = \"kpc\"\n"),
             Catch::Contains(".haloscope.toml:3") && Catch::Contains("no word unit-lenght") &&
                 Catch::Contains("did you mean unit-length?"));
  CHECK_THAT(fault("box = 1\nhubble = \"big\"\n"),
             Catch::Contains(".haloscope.toml:2: hubble") && Catch::Contains("'big'"));
  CHECK_THAT(fault("box = 1\nperiodic = = 3\n"), Catch::Contains(".haloscope.toml:2"));
  CHECK_THAT(fault("box = [1, 2]\n"), Catch::Contains("neither a text nor a number"));
}
