// Profiles from positions that a picture has left on a device are those of the file.

#include "analysis/measuring/profile_output.h"
#include "analysis/measuring/profile_search.h"
#include "tests/catch.h"
#include "tests/made/resident_points.h"
#include "tests/made/snapshot_files.h"
#include "tests/renderers.h"

#include <string>
#include <vector>

using namespace haloscope;
using snapshot_files::TemporaryFolder;

namespace {

constexpr std::size_t kGas = 3000, kDark = 2000;

void write_profiled(const std::string& path) {
  using namespace snapshot_files;
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, 10);
  std::vector<float> masses(kGas), energies(kGas);
  for (std::size_t i = 0; i < kGas; ++i) {
    masses[i] = 0.5f + float(i % 7);
    energies[i] = 50 + float(i % 11) * 40;
  }
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, 10));
  file.dataset("PartType0/Masses", {kGas}, masses);
  file.dataset("PartType0/InternalEnergy", {kGas}, energies);
  file.dataset("PartType0/Velocities", {kGas, 3}, some_positions(kGas, 100, 5));
  file.group("PartType1");
  file.dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, 10, 3));
  file.dataset("PartType1/Masses", {kDark}, std::vector<float>(kDark, 2.f));
  file.dataset("PartType1/Velocities", {kDark, 3}, some_positions(kDark, 100, 6));
}

}  // namespace

TEST_CASE("a profile from positions on a device has the bits of one from the file",
          "[measuring][few][gpu]") {
  const TemporaryFolder folder;
  write_profiled(folder / "s.hdf5");
  const auto reader = io::open_snapshot(folder / "s.hdf5");
  const test::WithoutPositions closed(*reader);
  Progress progress;
  for (const auto& device : test::devices()) {
    const auto resident = test::resident_points(*reader, {0, 1}, device);
    analysis::ProfileOptions options;
    options.center = "9.7,0.2,5";
    // Within spheres across two edges, one of which holds few of the rows, and in the whole box.
    for (const char* radii : {"0.5,3", "0.1,1.2", ""}) {
      INFO(device << ", radii " << radii);
      options.radii = radii;
      const auto from_file = analysis::find_profile(*reader, options, nullptr, progress);
      const auto from_device =
          analysis::find_profile(closed, options, nullptr, progress, {}, resident);
      CHECK(from_device.particles > 20);
      CHECK(analysis::profile_csv(from_device, {}) == analysis::profile_csv(from_file, {}));
      CHECK(from_device.said == from_file.said);
    }
    // Nothing lies there.
    options.radii = "0.0001,0.001";
    CHECK_THROWS_AS(analysis::find_profile(closed, options, nullptr, progress, {}, resident),
                    Error);
  }
}
