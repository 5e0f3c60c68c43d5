#include "core/text_values.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>

// What stands on the command line: counts are whole numbers, and every mistake gets a sentence of
// the program's own.

using namespace haloscope;
using namespace haloscope::test;

namespace {

std::string sample() {
  return sample_file();
}

struct Count {
  std::vector<std::string> command;
  std::string option;
};

}  // namespace

TEST_CASE("every count refuses what is no count, and replaces nothing", "[bad]") {
  const OutputFolder folder;
  const std::string halos = folder.path("h.csv"), picture = folder.path("p.png");
  REQUIRE(run_program({"halos", sample(), "-o", halos, "--min-members", "5000"}).code == 0);
  const std::string before = file_bytes(halos);
  std::vector<Count> counts;
  for (const char* option : {"--min-points", "--min-members", "--sub-min-points",
                             "--sub-min-members", "--sub-halos", "--replicate"})
    counts.push_back({{"halos", sample(), "-o", halos, "--sub-linking-length", "0.1"}, option});
  for (const char* option :
       {"--neighbors", "--repeat", "--replicate", "--every", "--max-particles"})
    counts.push_back({{"render", sample(), "-o", picture, "--size", "8x8"}, option});
  for (const char* option : {"--from", "--to"})
    counts.push_back({{"movie", sample(), "-o", folder.path("%d.png")}, option});
  counts.push_back({{"catalog", halos}, "--top"});
  for (const auto& count : counts)
    for (const char* text : {"-1", "1.5", "ten", "99999999999999999999", "1e30", "nan"}) {
      auto arguments = count.command;
      arguments.insert(arguments.end(), {count.option, text});
      const Outcome run = run_program(arguments);
      INFO(count.command[0] << " " << count.option << " " << text << ": " << run.err << run.out);
      CHECK(run.is_fault());
      CHECK(run.says(count.option + ": '" + text + "' is not a whole number from "));
    }
  CHECK((file_bytes(halos) == before));
  CHECK_FALSE(std::filesystem::exists(picture));
}

TEST_CASE("a count may be written as people write a million") {
  CHECK(parse_count("--n", "1e6", 1) == 1000000);
  CHECK(parse_count("--n", "18446744073709551615", 1) == 18446744073709551615u);
  CHECK(parse_count("--n", "64", 1, 64) == 64);
  CHECK_THROWS_WITH(parse_count("--n", "65", 1, 64),
                    "--n: '65' is not a whole number from 1 to 64");
  CHECK_THROWS_WITH(parse_count("--n", "0", 1), "--n: '0' is not a whole number from 1 on");
  CHECK_THROWS_WITH(parse_count("--n", "", 1), "--n: '' is not a whole number from 1 on");
  // What the type holds is told to those alone who ask for more.
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_WITH(parse_count("--n", "0", 1, most), "--n: '0' is not a whole number from 1 on");
  CHECK_THROWS_WITH(
      parse_count("--n", "9223372036854775808", 1, most),
      "--n: '9223372036854775808' is not a whole number from 1 to 9223372036854775807");
}

TEST_CASE("a wrong command line is told in the program's own words", "[bad]") {
  const OutputFolder folder;
  const auto fault = [](const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome run = run_program(arguments);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says("haloscope: error: " + words));
  };
  const std::string out = folder.path("h.hdf5");
  fault({"halos", sample(), "-o"}, "--output: its value is missing");
  fault({"halos", sample()}, "-o/--output is missing");
  fault({"render"}, "SNAPSHOT is missing");
  fault({"halos", sample(), "-o", out, "-o", "b.hdf5"},
        "--output: it is given several times; give it once");
  fault({"info", sample(), "--check", "--quick"},
        "--check and --quick say the same or the opposite; leave one out");
  fault({"halos", sample(), "-o", out, "--epsilon", "1", "--linking-length", "0.2"},
        "--linking-length and --epsilon say the same or the opposite; leave one out");
  fault({"info", sample(), "--json=maybe"}, "--json: 'maybe' is not a value of this option");
  fault({"catalog", out, "--within", "x"}, "--within: 'x' is not a number");
  fault({"catalog", out, "--distance", "x"}, "--distance: 'x' is not a number");
  fault({"halos", sample(), "--outptu", out},
        "there is no option --outptu; did you mean --output?");
  CHECK(folder.files().empty());
}

TEST_CASE("the program's help shows that it opens a snapshot", "[app]") {
  const Outcome run = run_program({"--help"});
  CHECK(run.says("haloscope SNAPSHOT..."));
  CHECK(run.says("haloscope COMMAND [OPTIONS]"));
  CHECK_FALSE(run.says("SUBCOMMAND"));
  CHECK(run_program({"halos", "--help"}).says("Usage: haloscope halos [OPTIONS]"));
}

TEST_CASE("what is no snapshot is named, with the command that takes it", "[app][bad]") {
  const OutputFolder folder;
  const std::string map = folder.path("density.hdf5");
  REQUIRE(run_program({"render", sample(), "-o", map, "--map", "surface-density", "--size", "16x9",
                       "--device", "cpu", "--no-cache"})
              .code == 0);
  const Outcome shown = run_program({"info", map});
  INFO(shown.err);
  CHECK(shown.is_fault());
  CHECK(shown.says("this is a map of haloscope's, not a snapshot: surface_density ["));
  CHECK(shown.says("16 x 9 pixels of "));
  put_bytes(folder.path("scene.par"), "# a scene\nsimtype=0\ninfile = a.bin\nxres=800\n");
  const Outcome parameters = run_program({"info", folder.path("scene.par")});
  INFO(parameters.err);
  CHECK(parameters.is_fault());
  CHECK(parameters.says("'haloscope splotch' draws what they say"));
  put_bytes(folder.path("input.bin"), std::string("\1\2\3\4\0\0\377\0", 8));
  CHECK(run_program({"info", folder.path("input.bin")}).says("haloscope splotch"));
}

TEST_CASE("catalogs and snapshots take the same word for missing files", "[app]") {
  const OutputFolder folder;
  put_bytes(folder.path("h.csv"), "id,x,y,z,mass\n1,0,0,0,5\n");
  for (const char* word : {"--allow-missing", "--allow-missing-files"})
    CHECK(run_program({"catalog", folder.path("h.csv"), word}).code == 0);
  CHECK_FALSE(run_program({"catalog", "--help"}).says("--allow-missing-files"));
  CHECK(run_program({"view", "--help"}).says("--no-cache"));
}
