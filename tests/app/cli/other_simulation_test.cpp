// A state that draws a snapshot of another box says so; of another output of its own run it does
// not.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

void write_dark_box(const std::string& path, double box) {
  using namespace snapshot_files;
  constexpr std::size_t kDark = 200;
  FileWriter file(path);
  write_header(file, {0, kDark, 0, 0, 0, 0}, box);
  file.group("PartType1").dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, box));
  file.dataset("PartType1/Masses", {kDark}, std::vector<float>(kDark, 1.f));
}

}  // namespace

TEST_CASE("a state of another simulation is told of", "[cli]") {
  const OutputFolder folder;
  write_dark_box(folder.path("own.hdf5"), 10);
  write_dark_box(folder.path("later.hdf5"), 10);
  write_dark_box(folder.path("other.hdf5"), 25);
  put_bytes(folder.path("run.txt"), "wait\nsave_state " + folder.path("s.toml") + "\n");
  REQUIRE(run_program({"view", folder.path("own.hdf5"), "--headless", "--device", "cpu", "--run",
                       folder.path("run.txt")})
              .code == 0);
  const auto drawn = [&](const std::string& name) {
    return run_program({"render", folder.path(name), "--device", "cpu", "--state",
                        folder.path("s.toml"), "--size", "32x24", "-o",
                        folder.path(name + ".png")});
  };
  for (const char* name : {"own.hdf5", "later.hdf5"}) {
    const Outcome same = drawn(name);
    INFO(same.out << same.err);
    CHECK(same.code == 0);
    CHECK_FALSE(same.says("another simulation"));
  }
  const Outcome other = drawn("other.hdf5");
  INFO(other.out << other.err);
  CHECK(other.code == 0);
  CHECK(other.says("which is of another simulation (its box is 10 wide"));
}
