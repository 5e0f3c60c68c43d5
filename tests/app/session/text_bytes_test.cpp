#include "app/session/state_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>
#include <string>
#include <vector>

// Names of files that are no text, in states.

using namespace haloscope::app::session;
using haloscope::test::OutputFolder;

TEST_CASE("a state keeps names that are not UTF-8, to the byte") {
  State state;
  state.snapshots = {"m\xe9t\xe9o_000.hdf5", "100 %_\u00e9.hdf5", "plain.hdf5"};
  state.types[0].color_map = "\xff%41.pal";
  const std::string text = state_text(state);
  INFO(text);
  CHECK(text.find("snapshots_bytes = [\"m%E9t%E9o_000.hdf5\", \"100 %25_%C3%A9.hdf5\", "
                  "\"plain.hdf5\"]") != std::string::npos);
  CHECK(text.find("\nsnapshots = ") == std::string::npos);
  const ReadState read = parse_state(text, "s.toml");
  CHECK(read.state == state);
  CHECK(read.warnings.empty());
  // What TOML can hold stays as it is.
  state.snapshots = {"100 %_\u00e9.hdf5"};
  state.types.clear();
  CHECK(state_text(state).find("snapshots = [\"100 %_\u00e9.hdf5\"]") != std::string::npos);
  CHECK(parse_state(state_text(state), "s.toml").state == state);
}

TEST_CASE("a name in bytes that is damaged, or said twice, is refused with its line") {
  using Catch::Matchers::Contains;
  for (const char* const name : {"a%", "a%4", "a%4x", "%G0"}) {
    INFO(name);
    CHECK_THROWS_WITH(
        parse_state(std::string("version = 1\nsnapshots_bytes = [\"") + name + "\"]\n", "s.toml"),
        Contains("s.toml:2") && Contains("two hexadecimal digits"));
  }
  CHECK_THROWS_WITH(
      parse_state("version = 1\nsnapshots = [\"a\"]\nsnapshots_bytes = [\"b\"]\n", "s.toml"),
      Contains("'snapshots_bytes' and 'snapshots' say the same"));
  CHECK_THROWS(parse_state("version = 1\nsnapshots_bytes = [1]\n", "s.toml"));
}

TEST_CASE("a snapshot whose name is not UTF-8 is drawn as its state says") {
  namespace fs = std::filesystem;
  const OutputFolder folder;
  const std::string snapshot = folder.path("\xff.hdf5");
  fs::copy_file(haloscope::test::sample_file(), snapshot);
  State state;
  state.snapshots = {snapshot};
  save_state(state, folder.path("s.toml"));
  const ReadState read = load_state(folder.path("s.toml"));
  REQUIRE(read.state.snapshots == state.snapshots);
  CHECK(fs::exists(read.state.snapshot()));
}
