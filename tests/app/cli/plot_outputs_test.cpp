// Plots that commands write beside their other files.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/npy_files.h"
#include "tests/output_folder.h"

#include <fstream>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

TEST_CASE("a plot with nothing to show leaves the other files", "[cli][peaks]") {
  const OutputFolder folder;
  const std::string one = folder.path("one.npy"), plot = folder.path("diagram.svg");
  put_bytes(one, npy_bytes("'<f4'", "(1, 1, 3)", raw_bytes(std::vector<float>{1, 2, 1})));
  const Outcome outcome = run_program(
      {"topology", one, "-o", folder.path("out.hdf5"), "--stats", folder.path("stats.json"),
       "--plot", "persistence_diagram=" + plot, "--plot", "betti_0=" + folder.path("betti.csv")});
  CHECK(outcome.is_fault());
  CHECK(
      outcome.says("diagram.svg: this plot is not written, because it would be empty: no peak "
                   "joins a higher one"));
  CHECK(outcome.says("1 peak of 1 maximum"));
  CHECK(outcome.says("wrote " + folder.path("out.hdf5")));
  CHECK(outcome.says("wrote " + folder.path("stats.json")));
  CHECK(outcome.says("wrote " + folder.path("betti.csv")));
  CHECK_FALSE(outcome.says("wrote " + plot));
  CHECK(!std::ifstream(plot).good());
  for (const char* name : {"out.hdf5", "stats.json", "betti.csv"})
    CHECK(std::ifstream(folder.path(name)).good());
}
