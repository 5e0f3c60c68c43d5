// The softening of gravity as codes note it.

#include "core/snapshot_info.h"
#include "io/snapshots/gadget_softening.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

using namespace haloscope;
using namespace haloscope::io;
using haloscope::test::OutputFolder;
using namespace snapshot_files;

namespace {

SnapshotInfo at(const std::string& path, double scale_factor) {
  SnapshotInfo info;
  info.files = {path};
  info.units.comoving = true;
  info.cosmology.scale_factor = scale_factor;
  return info;
}

}  // namespace

TEST_CASE("softenings are read as GADGET-4, AREPO and SWIFT note them") {
  const OutputFolder folder;
  const std::string gadget = folder.path("gadget.hdf5"), arepo = folder.path("arepo.hdf5"),
                    swift = folder.path("swift.hdf5"), none = folder.path("none.hdf5");
  FileWriter(gadget)
      .group("Parameters")
      .attribute<std::int32_t>("Parameters", "SofteningClassOfPartType1", {2}, false)
      .number("Parameters", "SofteningComovingClass2", 3)
      .number("Parameters", "SofteningMaxPhysClass2", 1.5);
  FileWriter(arepo)
      .group("Parameters")
      .attribute<std::int32_t>("Parameters", "SofteningTypeOfPartType1", {1}, false)
      .attribute<std::int32_t>("Parameters", "SofteningTypeOfPartType4", {0}, false)
      .number("Parameters", "SofteningComovingType0", 5)
      .number("Parameters", "SofteningComovingType1", 3.12)
      .number("Parameters", "SofteningMaxPhysType1", 1.56);
  FileWriter(swift)
      .group("Parameters")
      .text("Parameters", "Gravity:comoving_DM_softening", "0.0033200")
      .text("Parameters", "Gravity:max_physical_DM_softening", "0.0013")
      .text("Parameters", "Gravity:comoving_baryon_softening", "0.00179");
  FileWriter(none).group("Header");
  // A run in Mpc that writes its snapshots in kpc, and one without cosmology.
  const std::string kpc = folder.path("kpc.hdf5"), plain = folder.path("plain.hdf5");
  FileWriter(kpc)
      .group("Parameters")
      .text("Parameters", "Gravity:comoving_DM_softening", "0.00332")
      .group("Units")
      .number("Units", "Unit length in cgs (U_L)", 3e21)
      .group("InternalCodeUnits")
      .number("InternalCodeUnits", "Unit length in cgs (U_L)", 3e24);
  FileWriter(plain)
      .group("Parameters")
      .text("Parameters", "Gravity:max_physical_DM_softening", "0.5");
  // A physical limit counts where the comoving length has grown beyond it.
  CHECK(stored_softening(at(gadget, 0.25), 1) == 3.);
  CHECK(stored_softening(at(gadget, 1), 1) == 1.5);
  CHECK(stored_softening(at(arepo, 0.25), 1) == 3.12);
  CHECK(stored_softening(at(arepo, 1), 1) == 1.56);
  CHECK(stored_softening(at(arepo, 1), 4) == 5.);
  CHECK_FALSE(stored_softening(at(arepo, 1), 5));
  CHECK(stored_softening(at(swift, 0.1), 1) == 0.00332);
  CHECK(stored_softening(at(swift, 1), 1) == 0.0013);
  CHECK(stored_softening(at(swift, 1), 4) == 0.00179);
  CHECK_FALSE(stored_softening(at(swift, 1), 2));
  CHECK_FALSE(stored_softening(at(none, 1), 1));
  CHECK(*stored_softening(at(kpc, 0.1), 1) == Approx(3.32));
  CHECK_FALSE(stored_softening(at(plain, 1), 1));
  SnapshotInfo not_comoving = at(plain, 1);
  not_comoving.units.comoving = false;
  CHECK(stored_softening(not_comoving, 1) == 0.5);
}
