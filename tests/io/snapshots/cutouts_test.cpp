// Cut-outs of IllustrisTNG and CAMELS, whose headers lack much of what a snapshot's says.

#include "tests/snapshot_checks.h"

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using namespace snapshot_checks;

namespace {

// Gas with positions and, where it is asked for, a field of IllustrisTNG.
SnapshotInfo info_of(const std::vector<std::pair<const char*, double>>& header, bool tng_field) {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "cutout.hdf5");
    file.group("Header").group("PartType0");
    for (const auto& [name, value] : header) file.number("Header", name, value);
    file.dataset("PartType0/Coordinates", {3, 3}, some_positions(3, 25000));
    file.dataset<float>("PartType0/Masses", {3}, {1, 2, 3});
    if (tng_field) file.dataset<float>("PartType0/GFM_Metals", {3}, {0, 0, 0});
  }
  return open_snapshot(folder / "cutout.hdf5")->info();
}

void check_comoving(const SnapshotInfo& info, double a, double h) {
  CHECK(info.units.comoving);
  CHECK(info.units.per_h);
  CHECK(info.units.length_cm == Approx(3.085678e21));
  CHECK(info.units.mass_g == Approx(1.989e43));
  CHECK(info.cosmology.scale_factor == Approx(a));
  CHECK(info.cosmology.hubble_param == Approx(h));
  CHECK(info.types.at(0).find("Coordinates")->unit == "kpc/h");
  CHECK(info.types.at(0).find("Masses")->unit == "1e10 Msun/h");
  CHECK(says(info, "took lengths as comoving (ckpc/h)"));
  CHECK(says(info, "took kpc/h, 1e10 Msun/h, km/s*sqrt(a)"));
}

}  // namespace

TEST_CASE("cut-outs without BoxSize and Omega0 are comoving where they show it") {
  // By IllustrisTNG's fields.
  check_comoving(info_of({{"Time", 0.5}}, true), 0.5, 1);
  check_comoving(info_of({{"Redshift", 3}, {"HubbleParam", 0.6774}}, true), 0.25, 0.6774);
  check_comoving(info_of({}, true), 1, 1);
  // By h and a time that can be a scale factor.
  check_comoving(info_of({{"HubbleParam", 0.6711}, {"Time", 0.5}}, false), 0.5, 0.6711);
  check_comoving(info_of({{"HubbleParam", 0.6711}, {"Time", 0.25}, {"Redshift", 3}}, false), 0.25,
                 0.6711);
  // Omega0 alone does not make a box.
  check_comoving(info_of({{"HubbleParam", 0.6711}, {"Time", 0.5}, {"Omega0", 0.3}}, false), 0.5,
                 0.6711);
}

TEST_CASE("headers that tell of an isolated run stay physical") {
  for (const bool tng : {false, true}) {
    CHECK_FALSE(info_of({{"HubbleParam", 0.7}, {"Time", 0.5}, {"Redshift", 0}, {"Omega0", 0}}, tng)
                    .units.comoving);
    CHECK_FALSE(
        info_of({{"HubbleParam", 0.7}, {"Time", 0.5}, {"Redshift", 0}}, tng).units.comoving);
  }
  CHECK_FALSE(info_of({{"HubbleParam", 0.7}, {"Time", 3.5}}, false).units.comoving);
  CHECK_FALSE(info_of({{"HubbleParam", 0.7}, {"Time", 0}}, false).units.comoving);
  CHECK_FALSE(info_of({{"HubbleParam", 1}, {"Time", 0.5}}, false).units.comoving);
  CHECK_FALSE(info_of({{"Time", 0.5}}, false).units.comoving);
}
