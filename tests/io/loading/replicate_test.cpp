// A periodic box repeated: the same particles in every copy, in a box so many times as wide.

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr std::size_t kRows = 500;
constexpr std::uint32_t kBox = 8;

void write_box(const std::string& path, double box) {
  FileWriter file(path);
  write_header(file, {0, kRows, 0, 0, 0, 0}, box);
  std::vector<float> masses;
  for (std::size_t i = 0; i < kRows; ++i) masses.push_back(float(i));
  file.group("PartType1").dataset("PartType1/Coordinates", {kRows, 3}, some_positions(kRows, kBox));
  file.dataset("PartType1/Masses", {kRows}, masses);
}

ParticleSet load(const std::string& path, int copies) {
  io::OpenOptions options;
  options.replicate = copies;
  const auto reader = io::open_snapshot(path, options);
  Progress progress;
  return io::load_particles(*reader, {{{1, {}}}, {}}, progress);
}

}  // namespace

TEST_CASE("a periodic box is repeated along each axis") {
  const OutputFolder folder;
  const std::string path = folder.path("box.hdf5");
  write_box(path, kBox);
  const ParticleSet once = load(path, 1), many = load(path, 4);
  CHECK(many.domain.side == 4 * kBox);
  CHECK(many.domain.periodic);
  REQUIRE(many.types.at(0).count == 64 * kRows);
  std::uint64_t wrong = 0;
  for (std::uint64_t copy = 0; copy < 64; ++copy) {
    const std::uint64_t at[3] = {copy % 4, copy / 4 % 4, copy / 16};
    for (std::uint64_t i = 0; i < kRows; ++i) {
      const std::uint64_t to = copy * kRows + i;
      // A quarter of the lattice per copy; the lattice's last two bits are cut off.
      for (std::size_t axis = 0; axis < 3; ++axis)
        wrong += many.types[0].position[axis][to] !=
                 std::uint32_t(at[axis] << 30) + (once.types[0].position[axis][i] >> 2);
      wrong += many.types[0].mass[to] != float(i);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("what is no periodic box is not repeated") {
  const OutputFolder folder;
  const std::string path = folder.path("open.hdf5");
  write_box(path, 0);
  CHECK(message_of([&] { load(path, 2); }).find("only a periodic box can be repeated") !=
        std::string::npos);
  write_box(path, kBox);
  CHECK(message_of([&] { load(path, 0); }).find("1 to 64") != std::string::npos);
}
