// Options of the halo search, said once: what texts give, what is refused, and what is told of
// them.

#include "analysis/halos/halo_options.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::app;
using namespace haloscope::app::cli;

namespace {

// "linking_length=0.2 min_points=2 …"
std::string in_words(const HaloOptions& options) {
  std::string text;
  for (const OptionValue& one : values_of(options))
    text += (text.empty() ? "" : " ") + one.name + "=" + one.text();
  return text;
}

std::string fault_of(const std::string& name, const std::string& text) {
  HaloOptions options;
  try {
    read_option(options, name, text);
    check_options(options);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("options come back from their arguments", "[halos]") {
  HaloOptions options;
  const std::vector<std::pair<std::string, std::string>> arguments{
      {"types", "dm,2"},       {"attach", "gas,stars"},   {"epsilon", "0.30000000000000004"},
      {"min_points", "3"},     {"min_members", "1e6"},    {"sub_linking_length", "0.1"},
      {"sub_min_points", "4"}, {"sub_min_members", "21"}, {"sub_halos", "0"},
      {"algorithm", "grid"},   {"softening", "1e-3"}};
  for (const auto& [name, text] : arguments) read_option(options, name, text);
  CHECK(options.attach == std::vector<std::string>{"gas", "stars"});
  CHECK(options.min_members == 1000000);
  CHECK(in_words(options) ==
        "types=dm,2 attach=gas,stars epsilon=0.30000000000000004 min_points=3 "
        "min_members=1000000 sub_linking_length=0.1 sub_min_points=4 sub_min_members=21 "
        "sub_halos=0 algorithm=grid softening=0.001");
  HaloOptions again;
  for (const OptionValue& one : values_of(options)) read_option(again, one.name, one.text());
  CHECK(again == options);
  CHECK(in_words({}) ==
        "types=auto attach=none linking_length=0.2 min_points=2 min_members=32 algorithm=auto");
  for (const OptionValue& one : values_of(HaloOptions{})) read_option(again, one.name, one.text());
  CHECK(again.attach.empty());
  CHECK(again.types.empty());
}

TEST_CASE("what no search can be asked is refused in the option's name", "[halos]") {
  CHECK(fault_of("min_points", "1") == "`min_points` must be 2 or more");
  CHECK(fault_of("min_members", "0") == "`min_members` must be 1 or more");
  CHECK(fault_of("min_members", "-1") == "`min_members`: '-1' is not a whole number from 1 on");
  CHECK(fault_of("min_members", "1.5") == "`min_members`: '1.5' is not a whole number from 1 on");
  CHECK(fault_of("min_members", "x") == "`min_members`: 'x' is not a whole number from 1 on");
  CHECK(fault_of("min_points", "3000000000") ==
        "`min_points`: '3000000000' is not a whole number from 2 to 2147483647");
  CHECK(fault_of("sub_halos", "99999999999999999999") ==
        "`sub_halos`: '99999999999999999999' is not a whole number from 0 on");
  CHECK(fault_of("linking_length", "0") == "`linking_length` must be a positive number");
  CHECK(fault_of("epsilon", "-1") == "`epsilon` must be a positive number");
  CHECK(fault_of("softening", "0") == "`softening` must be a positive number");
  CHECK(fault_of("algorithm", "magic") ==
        "`algorithm`: 'magic' is not one of auto, fdbscan, densebox, grid");
  CHECK(fault_of("attach", "gas,") ==
        "`attach`: 'gas,' is not a list with commas between its words");
  CHECK(fault_of("sub_halos", "3") ==
        "`sub_halos`: there is no search inside the halos; add `sub_linking_length` or "
        "`sub_epsilon`");
  CHECK(fault_of("min_member", "3") ==
        "there is no option 'min_member'; did you mean `min_members`?");
  CHECK(with_flags("a`b.hdf5: add `sub_epsilon` or `types`") ==
        "a`b.hdf5: add --sub-epsilon or --types");
  CHECK(with_words("`sub_epsilon` must") == "sub_epsilon must");
}

TEST_CASE("counts of a halo search have no sign", "[app][halos]") {
  const test::OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("a.hdf5");
  test::write_universe(snapshot);
  for (const char* option :
       {"--min-members", "--min-points", "--sub-min-members", "--sub-min-points", "--sub-halos"}) {
    const auto run = test::run_program(test::halos_command(
        snapshot, output, {"--epsilon", "1", "--sub-epsilon", "0.5", option, "-1"}));
    INFO(run.out << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(std::string(option) + ": '"));
  }
  CHECK(folder.files() == std::vector<std::string>{"snap.hdf5"});
}
