// The mean spacing in which linking lengths are given, against the definition: one particle per
// mean mass over mean density.

#include "analysis/halos/mean_spacing.h"

#include "compute/halos/properties/physics.h"
#include "core/error.h"
#include "io/snapshots/stored_baryons.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <cmath>

using namespace haloscope;
using Catch::Matchers::Contains;

namespace {

constexpr double kBox = 20;

SnapshotInfo comoving_run() {
  SnapshotInfo info;
  info.box_size = kBox;
  info.periodic = true;
  info.units = {3.085678e24, 1.989e43, 1e5, true, true};
  info.cosmology.scale_factor = 0.5;
  info.cosmology.hubble_param = 0.7;
  info.cosmology.omega_matter = 0.3;
  info.cosmology.omega_lambda = 0.7;
  return info;
}

double matter_in_box(const SnapshotInfo& info) {
  return compute::halos::make_physics(info.units, info.cosmology).mean_density() *
         std::pow(kBox, 3);
}

// Particles of one mass; with a field of masses the mean is the same.
void add(SnapshotInfo& info, ParticleSet& set, int type, std::size_t count, double mass,
         bool as_field = false) {
  TypeInfo& described = info.types[type];
  described.name = type_name(type);
  described.count = count;
  ParticleColumns columns;
  columns.type = type;
  columns.count = count;
  if (as_field) {
    described.fields.emplace_back().name = "Masses";
    described.roles[Role::Mass] = "Masses";
    columns.mass = Array<float>(count);
    for (std::size_t i = 0; i < count; ++i) columns.mass[i] = float(mass * (i % 2 ? 1.5 : 0.5));
  } else {
    described.uniform_mass = columns.uniform_mass = mass;
  }
  set.types.push_back(std::move(columns));
}

// A lattice of `side`³, of the type that was added last, in a periodic box.
void spread(ParticleSet& set, std::uint32_t side) {
  set.domain = {{0, 0, 0}, kBox, true};
  auto& position = set.types.back().position;
  for (auto& axis : position) axis = Array<std::uint32_t>(std::size_t(side) * side * side);
  const std::uint32_t step = std::uint32_t((std::uint64_t(1) << 32) / side);
  for (std::uint32_t i = 0; i < side * side * side; ++i) {
    position[0][i] = i % side * step;
    position[1][i] = i / side % side * step;
    position[2][i] = i / side / side * step;
  }
}

}  // namespace

TEST_CASE("particles that fill their box have the spacing box over cube root of their number",
          "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  add(info, set, 1, 4096, matter_in_box(info) / 4096);
  const auto spacing = analysis::mean_spacing(info, set, {1});
  CHECK(spacing.length == kBox / 16);
  CHECK(spacing.assumed.empty());
}

TEST_CASE("gas and dark matter of a full box have the spacing of their numbers", "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  const double all = matter_in_box(info);
  add(info, set, 1, 4096, 0.84 * all / 4096, true);
  add(info, set, 0, 512, 0.16 * all / 512, true);
  CHECK(analysis::mean_spacing(info, set, {1}).length == kBox / 16);
  CHECK(analysis::mean_spacing(info, set, {0}).length == kBox / 8);
  CHECK(analysis::mean_spacing(info, set, {0, 1}).length == kBox / std::cbrt(4608.0));
  CHECK(analysis::mean_spacing(info, set, {1}).assumed.empty());
}

TEST_CASE("in a zoom simulation the spacing is that of the fine particles, not of the box",
          "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  const double all = matter_in_box(info);
  // A tenth of the mass is of 64³ per box, the rest of 8³.
  const double fine = all / (64. * 64 * 64), coarse = all / (8. * 8 * 8);
  add(info, set, 1, 26214, fine);
  add(info, set, 2, 461, coarse);
  const auto spacing = analysis::mean_spacing(info, set, {1});
  CHECK(spacing.length == Approx(kBox / 64));
  CHECK_THAT(spacing.assumed, Contains("do not fill the box"));
  // All of them together are what fills it.
  CHECK(analysis::mean_spacing(info, set, {1, 2}).length ==
        Approx(kBox / std::cbrt(26675.)).epsilon(1e-3));
}

TEST_CASE("stars are spaced as if all baryons were such stars", "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  const double all = matter_in_box(info);
  add(info, set, 1, 4096, 0.84 * all / 4096);
  add(info, set, 0, 3000, 0.16 * all / 4096);
  add(info, set, 4, 1096, 0.16 * all / 4096);
  const auto spacing = analysis::mean_spacing(info, set, {4});
  CHECK(spacing.length == Approx(kBox / 16));
  CHECK_THAT(spacing.assumed, Contains("do not fill the box") && Contains("0.16"));
}

TEST_CASE("one mass all over the box gives box over cube root of the number, whatever the units",
          "[halos]") {
  for (const double times : {1e9, 2.5, 0.4, 1e-9})
    for (const bool contradictory : {true, false}) {
      SnapshotInfo info = comoving_run();
      ParticleSet set;
      add(info, set, 1, 4096, (contradictory ? times : 1) * matter_in_box(info) / 4096);
      spread(set, 16);
      const auto spacing = analysis::mean_spacing(info, set, {1});
      INFO("density times " << times);
      CHECK(spacing.length == kBox / 16);
      if (!contradictory)
        CHECK(spacing.assumed.empty());
      else
        CHECK_THAT(spacing.assumed,
                   Contains("they have one mass and fill the box") && Contains("times that of"));
    }
}

TEST_CASE("a density less than twice off is that of matter which the file leaves out", "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  add(info, set, 1, 4096, 0.6 * matter_in_box(info) / 4096);
  spread(set, 16);
  const auto spacing = analysis::mean_spacing(info, set, {1});
  CHECK(spacing.length == Approx(kBox / 16 * std::cbrt(0.6)));
  CHECK_THAT(spacing.assumed, Contains("do not fill the box"));
}

TEST_CASE("units that contradict the box are refused where the spacing hangs on them", "[halos]") {
  SnapshotInfo info = comoving_run();
  info.units.length_cm /= 1000;  // the file has Mpc/h
  info.files = {"snap.hdf5"};
  const double thousandfold = std::pow(1000.0, 3);
  const auto refused = [&](const ParticleSet& set, const char* remedy) {
    try {
      const auto spacing = analysis::mean_spacing(info, set, {1});
      FAIL("taken as " << spacing.length);
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains("is not known in mean spacings") &&
                                   Contains("1e+09 times that of Omega0 0.3") &&
                                   Contains("snap.hdf5") && Contains(remedy) &&
                                   Contains("--epsilon"));
    }
  };
  const double mass = matter_in_box(info) * thousandfold / 4096;
  ParticleSet masses, corner;
  add(info, masses, 1, 4096, mass, true);  // of two masses
  spread(masses, 16);
  refused(masses, "--unit-length Mpc/h");
  info.types.clear();
  add(info, corner, 1, 4096, mass);
  spread(corner, 16);
  for (std::size_t i = 0; i < 4096; ++i) corner.types[0].position[2][i] /= 2;
  refused(corner, "--unit-length Mpc/h");
  info.box_given = true;
  refused(corner, "--box 2e+04");
  info.units.length_cm *= 1000;
  CHECK(analysis::mean_spacing(info, corner, {1}).length == kBox / 16);
}

TEST_CASE("without cosmology or masses the spacing is by the box alone, and said", "[halos]") {
  SnapshotInfo info = comoving_run();
  ParticleSet set;
  add(info, set, 1, 1000, 1);
  const auto check = [&](const char* lacking) {
    const auto spacing = analysis::mean_spacing(info, set, {1});
    CHECK(spacing.length == Approx(kBox / 10));
    CHECK_THAT(spacing.assumed, Contains(lacking));
  };
  info.types[1].uniform_mass = 0;
  check("no masses");
  info.types[1].uniform_mass = 1;
  info.cosmology.omega_matter = 0;
  check("no cosmology");
  info.cosmology.omega_matter = 0.3;
  info.units.comoving = false;
  check("not comoving");
}

TEST_CASE("OmegaBaryon is read where codes note it", "[io]") {
  const snapshot_files::TemporaryFolder folder;
  SnapshotInfo info;
  CHECK_FALSE(io::stored_omega_baryon(info));
  info.files = {folder / "a.hdf5"};
  CHECK_FALSE(io::stored_omega_baryon(info));
  {
    snapshot_files::FileWriter file(folder / "a.hdf5");
    file.group("Header").number("Header", "OmegaBaryon", 0.048);
  }
  CHECK(io::stored_omega_baryon(info) == 0.048);
  info.files = {folder / "b.hdf5"};
  {
    snapshot_files::FileWriter file(folder / "b.hdf5");
    file.group("Cosmology").number("Cosmology", "Omega_b", 0.05);
  }
  CHECK(io::stored_omega_baryon(info) == 0.05);
}
