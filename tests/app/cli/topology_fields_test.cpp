// Fields of a snapshot in `haloscope topology`, as a user runs it.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

using namespace haloscope;
using namespace haloscope::test;

TEST_CASE("peaks of a field are of the types that have it", "[cli][peaks]") {
  const OutputFolder folder;
  const Outcome outcome = run_program({"topology", sample_file(), "-o", folder.path("t.hdf5"),
                                       "--grid", "8", "--field", "temperature", "--device", "cpu"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.says("Temperature of gas particles: from "));
}
