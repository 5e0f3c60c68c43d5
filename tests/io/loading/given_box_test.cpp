// Numbers that the user gave and that cannot be: a box too small, h in km/s/Mpc.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"

using namespace haloscope::test;

namespace {

// 100 particles on the diagonal of a box of 25.
std::string diagonal() {
  std::string text = "x,y,z\n";
  for (int i = 0; i < 100; ++i) {
    const std::string x = std::to_string(0.25 * i);
    text += x + "," + x + "," + x + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a box given that does not hold the particles is told by that name") {
  const OutputFolder folder;
  const std::string path = folder.path("s.csv");
  put_bytes(path, diagonal());
  const std::string misfit = "The box given (--box) does not hold the particles: 60 of 100 dm";
  const Outcome info = run_program({"info", path, "--box", "10"});
  INFO(info.out);
  CHECK(info.says(misfit));
  const Outcome picture =
      run_program({"render", path, "--box", "10", "-o", folder.path("p.png"), "--size", "32x32"});
  INFO(picture.err);
  CHECK(picture.says(misfit));
  CHECK_FALSE(picture.says("BoxSize may be in other units"));
  CHECK_FALSE(run_program({"info", path, "--box", "25"}).says("does not hold"));
  CHECK_FALSE(run_program({"info", path, "--box", "24.7"}).says("does not hold"));
}

TEST_CASE("h in km/s/Mpc is refused") {
  const OutputFolder folder;
  put_bytes(folder.path("s.csv"), diagonal());
  for (const char* h : {"70", "0.05", "3.5"}) {
    const Outcome outcome = run_program({"info", folder.path("s.csv"), "--hubble", h});
    CHECK(outcome.code == 2);
    CHECK(outcome.says("in 100 km/s/Mpc: give 0.7 for 70"));
  }
  CHECK(run_program({"info", folder.path("s.csv"), "--hubble", "0.1"}).code == 0);
}
