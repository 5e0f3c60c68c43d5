#include "analysis/snapshot/snapshot_interval.h"

#include "tests/catch.h"

#include <cmath>

// Times between snapshots, and what velocities move in them, against closed forms.

using namespace haloscope;
using analysis::length_per_velocity;
using analysis::seconds_between;

namespace {

constexpr double kHubbleTime = 3.085678e24 / 1e7;  // 1 / (100 km/s/Mpc), s

SnapshotInfo at(double a, double matter, double lambda) {
  SnapshotInfo info;
  info.units.comoving = info.units.per_h = true;
  info.cosmology.scale_factor = a;
  info.cosmology.hubble_param = 0.7;
  info.cosmology.omega_matter = matter;
  info.cosmology.omega_lambda = lambda;
  return info;
}

TypeInfo moving(const FieldScaling& scaling) {
  TypeInfo type;
  type.fields = {{"Velocities", 3, ScalarType::Float32, "", scaling}};
  type.roles[Role::Velocity] = "Velocities";
  return type;
}

}  // namespace

TEST_CASE("times between snapshots are those of Friedmann universes", "[app][series]") {
  // Einstein and de Sitter: t = 2/3 a^1.5 / H0.
  CHECK(*seconds_between(at(0.01, 1, 0), at(1, 1, 0)) ==
        Approx(kHubbleTime / 0.7 * 2 / 3 * (1 - std::pow(0.01, 1.5))).epsilon(1e-9));
  // Flat with a constant: t = 2/3 asinh(sqrt(lambda/matter) a^1.5) / sqrt(lambda) / H0.
  const auto age = [](double a) {
    return 2. / 3 / std::sqrt(0.7) * std::asinh(std::sqrt(0.7 / 0.3) * std::pow(a, 1.5));
  };
  CHECK(*seconds_between(at(0.2, 0.3, 0.7), at(0.9, 0.3, 0.7)) ==
        Approx(kHubbleTime / 0.7 * (age(0.9) - age(0.2))).epsilon(1e-9));
  // Nearly empty: t = a / H0.
  CHECK(*seconds_between(at(0.3, 1e-12, 0), at(0.8, 1e-12, 0)) ==
        Approx(kHubbleTime / 0.7 * 0.5).epsilon(1e-6));
  CHECK(!seconds_between(at(0.3, 0, 0), at(0.8, 0, 0)));
}

TEST_CASE("between two snapshots cosmic time passes evenly", "[app][series]") {
  SnapshotInfo first = at(0.25, 1, 0), second = at(1, 1, 0);
  first.cosmology.redshift = 3;
  second.cosmology.redshift = 0;
  // Einstein and de Sitter: t grows as a^1.5.
  const double a = std::pow(0.5 * (std::pow(0.25, 1.5) + 1), 2. / 3);
  const analysis::Epoch half = analysis::epoch_between(first, second, 0.5);
  CHECK(half.scale_factor == Approx(a).epsilon(1e-9));
  CHECK(*half.redshift == Approx(1 / a - 1).epsilon(1e-9));
  CHECK(analysis::epoch_between(first, second, 0).scale_factor == Approx(0.25));
  CHECK(*analysis::epoch_between(first, second, 1).redshift == Approx(0).margin(1e-9));
  // Without Omega_m: the scale factor does.
  first.cosmology.omega_matter = second.cosmology.omega_matter = 0;
  CHECK(analysis::epoch_between(first, second, 0.5).scale_factor == Approx(0.625));
  CHECK(*analysis::epoch_between(first, second, 0.5).redshift == Approx(0.6));
  SnapshotInfo one, two;
  one.time = 3;
  two.time = 5;
  CHECK(analysis::epoch_between(one, two, 0.25).time == Approx(3.5));
  CHECK(!analysis::epoch_between(one, two, 0.25).redshift);
}

TEST_CASE("times of other runs are in units of length over velocity", "[app][series]") {
  SnapshotInfo first, second;
  first.time = 0.25;
  second.time = 1.25;
  const double seconds = *seconds_between(first, second);
  CHECK(seconds == Approx(3.085678e16));  // kpc / (km/s)
  first.types[1] = moving({1e5, 0, 0, 0, 0, 1});
  // A code velocity of 1 goes a code length in a unit of time.
  CHECK(*length_per_velocity(first, 1, seconds) == Approx(1));
  first.types[1].fields[0].scaling = FieldScaling{};
  CHECK(!length_per_velocity(first, 1, seconds));
  CHECK(!length_per_velocity(first, 0, seconds));
}

TEST_CASE("each code's velocities move its comoving positions", "[app][series]") {
  SnapshotInfo info = at(0.25, 0.3, 0.7);
  const double a = 0.25, second_length = 1e5 / (3.085678e21 * a / 0.7);  // of 1 km/s, in kpc/h
  info.types[0] = moving({1e5, 0.5, 0, 0, 0, 1});                        // GADGET: v / sqrt(a)
  CHECK(*length_per_velocity(info, 0, 1) == Approx(std::sqrt(a) * second_length));
  info.types[0] = moving({1e5, 0, 0, 0, 0, 1});  // SWIFT: v
  CHECK(*length_per_velocity(info, 0, 1) == Approx(second_length));
  info.types[0] = moving({1e5, 1, 0, 0, 0, 1});  // Tipsy: v / a
  CHECK(*length_per_velocity(info, 0, 1) == Approx(a * second_length));
  // Hubble's constant has no part in units of 1/h.
  SnapshotInfo other = info;
  info.cosmology.hubble_param = 1;
  const auto moved = [](const SnapshotInfo& one) {
    SnapshotInfo end = one;
    end.cosmology.scale_factor = 1;
    return *length_per_velocity(one, 0, *seconds_between(one, end));
  };
  CHECK(moved(info) == Approx(moved(other)));
}
