// Units that were guessed wrongly show in the mean density of the box.

#include "io/loading/density_check.h"

#include "tests/catch.h"

#include <utility>

using namespace haloscope;

namespace {

// 64^3 particles of 5.1e9 Msun/h in 25 Mpc/h.
SnapshotInfo simulation(double box_size) {
  SnapshotInfo info;
  info.box_size = box_size;
  info.periodic = true;
  info.units.comoving = info.units.per_h = true;
  info.cosmology.hubble_param = 0.678;
  info.cosmology.omega_matter = 0.308;
  TypeInfo dm;
  dm.count = 262144;
  dm.uniform_mass = 0.5093952;
  info.types[1] = dm;
  return info;
}

}  // namespace

TEST_CASE("a box whose density cannot be gets a sentence that names the unit which would fit") {
  CHECK_FALSE(io::odd_density(simulation(25000)));
  const auto small = io::odd_density(simulation(25));
  REQUIRE(small);
  CHECK(small->find("1e+09 times") != std::string::npos);
  CHECK(small->find("--unit-length Mpc/h") != std::string::npos);
  SnapshotInfo large = simulation(25000);
  large.units.length_cm *= 1000;
  REQUIRE(io::odd_density(large));
  CHECK(io::odd_density(large)->find("--unit-length kpc/h") != std::string::npos);
  SnapshotInfo light = simulation(25000);
  light.units.mass_g *= 1e10;
  REQUIRE(io::odd_density(light));
  CHECK(io::odd_density(light)->find("--unit-mass") != std::string::npos);
}

TEST_CASE("masses told in the wrong one of the family's two units are named with the other") {
  SnapshotInfo heavy = simulation(25000);
  heavy.types[1].uniform_mass *= 1e10;
  CHECK(io::odd_density(heavy)->find("masses in Msun/h would fit (--unit-mass Msun/h)") !=
        std::string::npos);
  SnapshotInfo light = simulation(25000);
  light.units.mass_g /= 1e10;
  CHECK(io::odd_density(light)->find("masses in 1e10 Msun/h would fit (--unit-mass 1e10Msun/h)") !=
        std::string::npos);
}

TEST_CASE("density says nothing where it cannot know") {
  SnapshotInfo cut_out = simulation(25000);
  cut_out.types[1].count = 1000;
  CHECK_FALSE(io::odd_density(cut_out));
  SnapshotInfo massless = simulation(25);
  massless.types[0].count = 1;
  CHECK_FALSE(io::odd_density(massless));
  SnapshotInfo isolated = simulation(25);
  isolated.units.comoving = false;
  CHECK_FALSE(io::odd_density(isolated));
  SnapshotInfo unbounded = simulation(0);
  unbounded.periodic = false;
  CHECK_FALSE(io::odd_density(unbounded));
}

TEST_CASE("masses that were read stand for those that the header does not tell") {
  SnapshotInfo masses = simulation(25);
  const double each = std::exchange(masses.types[1].uniform_mass, 0);
  CHECK_FALSE(io::odd_density(masses));
  CHECK(io::odd_density(masses, 262144 * each) == io::odd_density(simulation(25)));
  CHECK_FALSE(io::odd_density(masses, 262144 * each * 1e-9));
}

TEST_CASE("a box that the user gave is named before the units") {
  SnapshotInfo given = simulation(10000);
  CHECK(io::odd_density(given)->find("--unit-length") != std::string::npos);
  given.box_given = true;
  CHECK(io::odd_density(given)->find("a side of 2.5") != std::string::npos);
}
