#include "app/viewer/snapshot_opener.h"

#include "tests/catch.h"
#include "tests/test_paths.h"

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

// A snapshot that is opened, given up, cannot be read, or gets other fields.

namespace haloscope::app::viewer {

namespace {

struct Opening {
  std::vector<std::string> faults;
  SnapshotOpener opener{{}, [this](const std::string& fault) { faults.push_back(fault); }};
  std::string sample = test::sample_file();
  session::State before;

  session::State state(const std::string& snapshot, const std::string& gas_field = {}) const {
    session::State state;
    state.snapshots = {snapshot};
    if (!gas_field.empty()) state.types[0].field = gas_field;
    return state;
  }
  void begin(const session::State& state, const std::shared_future<void>& first = {}) {
    render::RenderRequest base;
    base.compute.device = "cpu";
    opener.open(base, state, before, first);
  }
  bool open(const session::State& state) {
    begin(state);
    opener.wait();
    return opener.receive();
  }
};

}  // namespace

TEST_CASE("a snapshot is open once it was received", "[window][task]") {
  Opening one;
  SnapshotOpener& opener = one.opener;
  CHECK_FALSE(opener.model());
  CHECK_FALSE(opener.facts());
  one.begin(one.state(one.sample));
  CHECK(opener.opening());
  CHECK(opener.busy());
  opener.wait();
  CHECK(opener.busy());
  CHECK_FALSE(opener.model());
  REQUIRE(opener.receive());
  CHECK_FALSE(opener.busy());
  CHECK_FALSE(opener.take_failed());
  CHECK(opener.has_open(one.sample));
  REQUIRE(opener.facts());
  CHECK(opener.facts()->types == opener.model()->types);
  CHECK_FALSE(opener.receive());
  opener.close();
  CHECK_FALSE(opener.model());
  CHECK_FALSE(opener.facts());
}

TEST_CASE("an opening that was cancelled or failed gives back the state before it",
          "[window][task]") {
  Opening one;
  SnapshotOpener& opener = one.opener;
  REQUIRE(one.open(one.state(one.sample)));
  one.before = one.state(one.sample);
  const std::string absent = test::source_dir() + "/absent.hdf5";
  CHECK_FALSE(one.open(one.state(absent)));
  CHECK(one.faults.size() == 1);
  CHECK(opener.opening());
  const auto back = opener.take_failed();
  REQUIRE(back);
  CHECK(back->snapshot() == one.sample);
  CHECK_FALSE(opener.busy());
  CHECK_FALSE(opener.take_failed());
  CHECK(opener.has_open(one.sample));
  // Cancelled after it was read, but before anybody has seen it.
  one.begin(one.state(one.sample, "Temperature"));
  opener.wait();
  opener.cancel();
  CHECK_FALSE(opener.receive());
  CHECK(opener.take_failed());
  CHECK(opener.has_field(one.state(one.sample), 0));
  CHECK(one.faults.size() == 1);
}

TEST_CASE("a snapshot is read when the search before it has ended", "[window][task]") {
  Opening one;
  SnapshotOpener& opener = one.opener;
  std::promise<void> search;
  one.begin(one.state(one.sample), search.get_future().share());
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (opener.status().phase.empty() && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(opener.status().phase == "waiting for a search to end");
  search.set_value();
  opener.wait();
  CHECK(opener.receive());
}

TEST_CASE("of two openings the later one comes, and the first state is the one to go back to",
          "[window][task]") {
  Opening one;
  SnapshotOpener& opener = one.opener;
  one.before = one.state("first");
  one.begin(one.state(one.sample));
  one.before = one.state("second");
  one.begin(one.state(test::source_dir() + "/absent.hdf5"));
  opener.wait();
  CHECK_FALSE(opener.receive());
  const auto back = opener.take_failed();
  REQUIRE(back);
  CHECK(back->snapshot() == "first");
  CHECK(one.faults.size() == 1);
}

TEST_CASE("fields are read anew where a state colors by others", "[window][task]") {
  Opening one;
  SnapshotOpener& opener = one.opener;
  REQUIRE(one.open(one.state(one.sample)));
  const session::State state = one.state(one.sample, "Density");
  CHECK(opener.needs_fields(state));
  CHECK_FALSE(opener.has_field(state, 0));
  CHECK(opener.with_open_fields(state).type(0).field.empty());
  one.begin(state);
  // It was asked for.
  CHECK_FALSE(opener.needs_fields(state));
  opener.wait();
  REQUIRE(opener.receive());
  CHECK_FALSE(opener.needs_fields(state));
  CHECK(opener.has_field(state, 0));
  CHECK(opener.needs_fields(one.state(one.sample)));
}

TEST_CASE("what the user did while a snapshot was read stays when the opening is taken back",
          "[window]") {
  session::State before, now;
  before.snapshots = {"a"};
  before.types[0].field = "Density";
  now.snapshots = {"b"};
  now.types[0].field = "Temperature";
  now.tone.exposure_ev = 2;
  take_back_opening(before, now);
  CHECK(now.snapshot() == "a");
  CHECK(now.types[0].field == "Density");
  CHECK(now.tone.exposure_ev == 2);
}

}  // namespace haloscope::app::viewer
