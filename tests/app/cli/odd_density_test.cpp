// Units that cannot be right are told by every command whose results hang on them, before it
// searches.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

using Words = std::vector<std::string>;

Outcome run_on(const OutputFolder& folder, const std::string& command, Words more = {}) {
  more.insert(more.begin(), {command, folder.path("snap.hdf5"), "-o", folder.path("out.hdf5"),
                             "--device", "cpu", "--overwrite"});
  return run_program(more);
}

}  // namespace

TEST_CASE("every search warns of units that cannot be", "[app][clusters][topology][grid]") {
  const OutputFolder folder;
  // 505 · 10^10 Msun/h in (100 kpc/h)^3, which are the units where the file has none.
  write_universe(folder.path("snap.hdf5"));
  const std::vector<std::pair<std::string, Words>> commands = {
      {"halos", {"--epsilon", "1"}},
      {"clusters", {"--types", "dm"}},
      {"clusters", {"--sphere", "60,60,60,2", "--min-cluster-size", "5"}},
      {"topology", {"--grid", "16"}},
      {"topology", {"--grid", "16", "--types", "gas"}},
      {"peaks", {"--grid", "16"}},
      {"grid", {"--size", "16"}}};
  for (auto [command, words] : commands) {
    words.push_back("--quiet");
    const Outcome odd = run_on(folder, command, words);
    INFO(command << ": " << odd.out << odd.err);
    CHECK(odd.code == 0);
    CHECK(odd.err.find("haloscope: warning: The particles' mean density is") != std::string::npos);
    CHECK(odd.says("the units are not right"));
    words.insert(words.end(), {"--unit-length", "Mpc/h"});
    const Outcome right = run_on(folder, command, words);
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK_FALSE(right.says("the units are not right"));
  }
}

TEST_CASE("no spheres are measured that would hold the whole box", "[app][halos][topology]") {
  const OutputFolder folder;
  write_universe(folder.path("snap.hdf5"));
  const std::string told = "Spherical overdensities and spins are zero: at the mean density";
  const std::vector<std::pair<std::string, Words>> commands = {{"halos", {"--epsilon", "1"}},
                                                               {"topology", {"--grid", "16"}}};
  for (auto [command, words] : commands) {
    const Outcome odd = run_on(folder, command, words);
    INFO(command << ": " << odd.out << odd.err);
    CHECK(odd.code == 0);
    CHECK(odd.says(told));
    words.insert(words.end(), {"--unit-length", "Mpc/h"});
    const Outcome right = run_on(folder, command, words);
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK_FALSE(right.says(told));
  }
}
