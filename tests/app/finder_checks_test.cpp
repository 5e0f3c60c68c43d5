// Options of an analysis are checked wherever a search is asked for, also where its own check()
// says nothing of their ranges.
#include "analysis/option_parsing/option_error.h"
#include "app/session/command_table.h"
#include "io/snapshot_reader.h"
#include "tests/app/added_slabs.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace haloscope {

namespace {

// Checks what only it knows, and must never search for what it cannot.
class PickyFinder final : public analysis::FinderOf<test::SlabOptions> {
 public:
  PickyFinder() : FinderOf({"picky", "slab", "slabs", "Refuses options", "There is no slab."}) {}

  void check(const analysis::AnyOptions& options, const SnapshotInfo*) const override {
    if (options.as<test::SlabOptions>().slabs > 9)
      throw analysis::OptionError(analysis::marked("slabs") + " may be 9 at most");
  }
  analysis::Finding search(const io::SnapshotReader&, const test::SlabOptions&,
                           const analysis::FindRequest&, Progress&) const override {
    throw std::logic_error("it was searched for");
  }
};

std::string fault_of_search(const std::string& snapshot, std::uint64_t slabs) {
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  try {
    analysis::find_in(*io::open_snapshot(snapshot), "picky", test::SlabOptions{slabs, {}}, request,
                      progress);
  } catch (const analysis::OptionError& error) {
    return error.what();
  }
  return {};
}

std::string fault_of_command(const std::string& line) {
  app::session::State state;
  test::FakeActions actions;
  try {
    app::session::run_command(line, state, actions);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("an option's own range is checked before the finder's own check", "[finders]") {
  const test::AddedSlabs added;
  const analysis::AddedFinder picky(std::make_shared<PickyFinder>());
  CHECK(fault_of_search(added.sample, 0) == "`slabs` must be 1 or more");
  CHECK(fault_of_search(added.sample, 10) == "`slabs` may be 9 at most");

  CHECK(fault_of_command("find picky slabs=0") == "find picky: slabs must be 1 or more");
  CHECK(fault_of_command("find picky slabs=10") == "find picky: slabs may be 9 at most");
  CHECK(fault_of_command("find picky slabs=9").empty());

  const auto refusal = [&](const char* slabs) {
    return added.run({"picky", added.sample, "-o", "s.csv", "--slabs", slabs, "--device", "cpu"});
  };
  CHECK(refusal("0").says("--slabs must be 1 or more"));
  CHECK(refusal("10").says("--slabs may be 9 at most"));
}

}  // namespace haloscope
