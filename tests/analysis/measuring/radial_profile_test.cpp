#include "analysis/measuring/radial_profile.h"

#include "analysis/halos/mass_function.h"
#include "core/error.h"
#include "tests/analysis/measuring/made_sphere.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <numbers>

// Radial profiles beside plain loops over all particles.

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ProfileRequest asked(std::vector<int> types = {0, 1}) {
  ProfileRequest request;
  request.types = std::move(types);
  request.center = kMadeCenter;
  request.velocity = {{10, 100, 150}};
  request.radii = {{0.05, 2.5}};
  request.bins = 12;
  return request;
}

RadialProfile measured(const MadeSphere& sphere, const ProfileRequest& request) {
  Progress progress;
  return measure_profile(sphere.info, sphere.particles, request, progress);
}

void check_against_loops(const RadialProfile& profile, const ProfileSeries& series,
                         const std::vector<MadeParticle>& made) {
  for (std::size_t k = 0; k < profile.edges.count(); ++k) {
    const double low = profile.edges.edge(k), high = profile.edges.edge(k + 1);
    const SlowBin slow = slow_bin(made, profile.center, profile.velocity, low, high);
    const ProfileBin& bin = series.bins[k];
    INFO(series.name << " bin " << k);
    const double volume = 4 * std::numbers::pi / 3 * (high * high * high - low * low * low);
    CHECK(bin.count == slow.count);
    CHECK(bin.count_within == slow.within);
    CHECK(bin.density == Approx(double(slow.mass) / volume).epsilon(1e-12));
    CHECK(bin.mass_within == Approx(double(slow.mass_within)).epsilon(1e-12));
    // Steps of the lattice are 5e-9: of a distance of 0.05 with 200 km/s a few 1e-5.
    CHECK(bin.radial_velocity == Approx(double(slow.radial)).margin(1e-4));
    CHECK(bin.dispersion == Approx(double(slow.dispersion)).epsilon(1e-9));
    if (series.has_temperature)
      CHECK(bin.temperature == Approx(double(slow.temperature)).epsilon(1e-12));
  }
}

std::vector<std::size_t> rows_in_bins(const std::vector<MadeParticle>& made,
                                      const RadialProfile& profile) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < made.size(); ++row)
    if (slow_bin({made[row]}, profile.center, {}, profile.edges.low(), profile.edges.high()).count)
      rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("profiles across the edges of a box are those of plain loops", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  const RadialProfile profile = measured(sphere, asked());
  REQUIRE(profile.series.size() == 3);
  std::vector<MadeParticle> all = sphere.of.at(0);
  all.insert(all.end(), sphere.of.at(1).begin(), sphere.of.at(1).end());
  check_against_loops(profile, profile.series[0], sphere.of.at(0));
  check_against_loops(profile, profile.series[1], sphere.of.at(1));
  check_against_loops(profile, profile.series[2], all);
  CHECK(profile.series[2].name == "all");
  CHECK(profile.series[0].has_temperature);
  CHECK_FALSE(profile.series[1].has_temperature);
}

TEST_CASE("a center in another image of the box has the same profile", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest far = asked();
  far.center = {kMadeCenter[0] - 3 * kMadeBox, kMadeCenter[1] + kMadeBox, kMadeCenter[2]};
  const RadialProfile here = measured(sphere, asked()), there = measured(sphere, far);
  for (std::size_t k = 0; k < here.edges.count(); ++k) {
    CHECK(here.series[2].bins[k].count == there.series[2].bins[k].count);
    CHECK(here.series[2].bins[k].radial_velocity ==
          Approx(there.series[2].bins[k].radial_velocity).margin(1e-4));
  }
}

TEST_CASE("profiles have the same bits on one thread and on several", "[measuring]") {
  const MadeSphere sphere = made_sphere(200000, 70000);
  ProfileRequest request = asked();
  request.velocity.reset();
  const auto with_threads = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return measured(sphere, request);
  };
  const RadialProfile one = with_threads(1);
  for (const std::size_t threads : {2, 3, 7}) {
    const RadialProfile several = with_threads(threads);
    CHECK(several.velocity == one.velocity);
    for (std::size_t s = 0; s < one.series.size(); ++s)
      for (std::size_t k = 0; k < one.edges.count(); ++k) {
        const ProfileBin &a = one.series[s].bins[k], &b = several.series[s].bins[k];
        CHECK((a.density == b.density && a.mass_within == b.mass_within &&
               a.radial_velocity == b.radial_velocity && a.dispersion == b.dispersion));
      }
  }
}

TEST_CASE("without a velocity the frame is the mean of the sphere", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest request = asked();
  request.velocity.reset();
  const RadialProfile profile = measured(sphere, request);
  std::array<double, 3> momentum{};
  double mass = 0;
  for (const auto& [type, made] : sphere.of)
    for (const MadeParticle& one : made) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a)
        square += std::pow(std::remainder(one.place[a] - kMadeCenter[a], kMadeBox), 2);
      if (std::sqrt(square) >= 2.5) continue;
      mass += one.mass;
      for (std::size_t a = 0; a < 3; ++a) momentum[a] += one.mass * double(float(one.velocity[a]));
    }
  for (std::size_t a = 0; a < 3; ++a)
    CHECK(profile.velocity[a] == Approx(momentum[a] / mass).epsilon(1e-10));
  CHECK(profile.velocity_from.find("mass-weighted mean of ") != std::string::npos);
}

TEST_CASE("errors of counts are Gehrels' and of masses those of their scatter", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  const RadialProfile profile = measured(sphere, asked());
  const ProfileBin& dark = profile.series[1].bins[6];
  const auto limits = poisson_limits(dark.count);
  CHECK(dark.count_low == limits[0]);
  CHECK(dark.count_high == limits[1]);
  // Of equal masses both have the same errors.
  CHECK(dark.density_high / dark.density == Approx(limits[1] / double(dark.count)).epsilon(1e-9));
  const ProfileBin& gas = profile.series[0].bins[6];
  CHECK(gas.density_high / gas.density > poisson_limits(gas.count)[1] / double(gas.count));
}

TEST_CASE("an empty bin has an upper limit of density and no means", "[measuring]") {
  const MadeSphere sphere = made_sphere(500, 400);
  ProfileRequest request = asked();
  request.radii = {{1e-9, 2.5}};
  request.bins = 60;
  const RadialProfile profile = measured(sphere, request);
  const ProfileBin& empty = profile.series[1].bins[0];
  REQUIRE(empty.count == 0);
  CHECK(empty.density == 0);
  CHECK(empty.density_high > 0);
  CHECK(std::isnan(empty.dispersion));
  CHECK(std::isnan(empty.radial_velocity));
  CHECK(empty.doubts.few);
}

TEST_CASE("a type with no particle near has a profile of nothing", "[measuring]") {
  MadeSphere sphere = made_sphere();
  TypeInfo& stars = sphere.info.types[4];
  stars.name = "stars";
  stars.count = 5;
  stars.uniform_mass = 1;
  const RadialProfile profile = measured(sphere, asked({0, 1, 4}));
  REQUIRE(profile.series.size() == 4);
  for (const ProfileBin& bin : profile.series[2].bins) CHECK(bin.count == 0);
  const RadialProfile without = measured(sphere, asked());
  for (std::size_t k = 0; k < without.edges.count(); ++k)
    CHECK(profile.series[3].bins[k].density == without.series[2].bins[k].density);
}

TEST_CASE("fewer than ten particles have no profile", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest request = asked();
  request.center = {10, 10, 0};
  const std::string fault = message_of([&] { measured(sphere, request); });
  CHECK(fault.find("a profile needs 10 particles, and 0 lie between 0.05 and 2.5") !=
        std::string::npos);
  const MadeSphere nine = made_sphere(5, 4), ten = made_sphere(5, 5);
  request = asked();
  request.radii = {{1e-4, 9}};
  CHECK(message_of([&] { measured(nine, request); }).find("and 9 lie between") !=
        std::string::npos);
  CHECK(measured(ten, request).particles == 10);
}

TEST_CASE("radii beyond half a periodic box are refused", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest request = asked();
  request.radii = {{1, 10.01}};
  CHECK(message_of([&] { measured(sphere, request); }).find("beyond half the periodic box") !=
        std::string::npos);
  request.radii = {{0.05, 10}};
  CHECK(measured(sphere, request).particles > 1000);
}

TEST_CASE("equal velocities have no dispersion, equal temperatures are their mean", "[measuring]") {
  MadeSphere sphere = made_sphere();
  for (ParticleColumns& columns : sphere.particles.types) {
    for (std::size_t a = 0; a < 3; ++a)
      for (float& v : columns.fields["Velocities"][a]) v = 123.4f * float(a + 1);
    if (columns.type == 0)
      for (float& t : columns.fields["Temperature"][0]) t = 5e6f;
  }
  ProfileRequest request = asked();
  request.velocity.reset();
  for (const ProfileSeries& series : measured(sphere, request).series)
    for (const ProfileBin& bin : series.bins) {
      CHECK(bin.dispersion < 1e-5);
      CHECK(std::abs(bin.radial_velocity) < 1e-9);
      if (series.has_temperature) CHECK(bin.temperature == Approx(5e6));
    }
}

TEST_CASE("a particle of no number spoils no mean", "[measuring]") {
  MadeSphere sphere = made_sphere();
  const RadialProfile clean = measured(sphere, asked());
  ParticleColumns& gas = sphere.particles.types[0];
  const std::vector<std::size_t> near = rows_in_bins(sphere.of.at(0), clean);
  gas.fields["Velocities"][1][near[0]] = kNan;
  gas.fields["Temperature"][0][near[1]] = kNan;
  gas.mass[near[2]] = kNan;
  const RadialProfile spoilt = measured(sphere, asked());
  std::uint64_t before = 0, after = 0;
  for (std::size_t k = 0; k < clean.edges.count(); ++k) {
    const ProfileBin& bin = spoilt.series[0].bins[k];
    before += clean.series[0].bins[k].count;
    after += bin.count;
    CHECK(std::isfinite(bin.density + bin.radial_velocity + bin.dispersion + bin.temperature));
  }
  CHECK(after == before - 1);
  std::string said;
  for (const std::string& sentence : spoilt.said) said += sentence + "\n";
  CHECK(said.find("1 particle has a mass that is not a finite number: left out.") !=
        std::string::npos);
  CHECK(said.find("1 particle has a velocity that is") != std::string::npos);
  CHECK(said.find("1 particle has a temperature that is") != std::string::npos);
}

TEST_CASE("one bin holds all between its radii", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest request = asked();
  request.bins = 1;
  const RadialProfile profile = measured(sphere, request);
  REQUIRE(profile.series[0].bins.size() == 1);
  check_against_loops(profile, profile.series[0], sphere.of.at(0));
}

TEST_CASE("a type of no known mass is counted, and weighs nothing in all", "[measuring]") {
  MadeSphere sphere = made_sphere();
  sphere.info.types[1].uniform_mass = 0;
  const RadialProfile profile = measured(sphere, asked());
  CHECK_FALSE(profile.series[1].has_mass);
  for (std::size_t k = 0; k < profile.edges.count(); ++k) {
    CHECK(std::isnan(profile.series[1].bins[k].density));
    CHECK(profile.series[2].bins[k].density == profile.series[0].bins[k].density);
    CHECK(profile.series[2].bins[k].count ==
          profile.series[0].bins[k].count + profile.series[1].bins[k].count);
  }
}

TEST_CASE("radii that nobody gave are told", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  ProfileRequest request = asked();
  request.radii.reset();
  request.r200 = 1.25;
  request.softening = 0.5;
  RadialProfile profile = measured(sphere, request);
  CHECK(profile.edges.low() == 0.5);
  CHECK(profile.edges.high() == 2.5);
  CHECK(profile.radii_from == "from the softening to twice R200");
  CHECK(profile.series[0].bins[0].doubts.softened);
  // From 2.8 softenings on forces are Newton's.
  for (std::size_t k = 0; k < profile.edges.count(); ++k)
    CHECK(profile.series[0].bins[k].doubts.softened == (profile.edges.edge(k) < 1.4));
  request.softening.reset();
  request.r200.reset();
  profile = measured(sphere, request);
  CHECK(profile.edges.high() == kMadeBox / 2);
  const SlowBin within = slow_bin(sphere.of.at(0), kMadeCenter, {}, 0, profile.edges.low());
  const SlowBin dark = slow_bin(sphere.of.at(1), kMadeCenter, {}, 0, profile.edges.low());
  CHECK(within.count + dark.count >= 10);
  CHECK(within.count + dark.count <= 12);
}

TEST_CASE("without a box the profile ends at the farthest particle", "[measuring]") {
  MadeSphere sphere;
  sphere.info.files = {"made"};
  sphere.particles.domain = {{-15, -15, -15}, 50, false};
  const std::array<double, 3> middle{10, 10, 10};
  add_made_type(sphere, 0, "gas", particles_around(middle, 2000, 3));
  ProfileRequest request = asked({0});
  request.center = middle;
  request.radii.reset();
  const RadialProfile profile = measured(sphere, request);
  REQUIRE(profile.series.size() == 1);
  CHECK(profile.series[0].bins.back().count_within == 2000);
  check_against_loops(profile, profile.series[0], sphere.of.at(0));
  // Far outside of all particles whole numbers of 32 bits would wrap.
  request.center = {1000, 10, 10};
  request.radii = {{1, 30}};
  CHECK(message_of([&] { measured(sphere, request); }).find("a profile needs 10 particles") !=
        std::string::npos);
  request.radii = {{1, 2000}};
  CHECK(measured(sphere, request).particles == 2000);
}

TEST_CASE("errors of velocities are those of as many equal particles", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  const RadialProfile profile = measured(sphere, asked());
  const ProfileBin& dark = profile.series[1].bins[5];
  const double n = double(dark.count);
  CHECK(dark.radial_velocity_error == Approx(dark.dispersion / std::sqrt(n)));
  CHECK(dark.dispersion_error == Approx(dark.dispersion / std::sqrt(6 * (n - 1))));
  const ProfileBin& gas = profile.series[0].bins[5];
  CHECK(gas.radial_velocity_error > gas.dispersion / std::sqrt(double(gas.count)));
}
