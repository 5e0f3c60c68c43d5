// Halos in the window: found as `haloscope halos` finds them, kept, selected and written.

#include "analysis/halos/halo_options.h"
#include "app/session/state_file.h"
#include "app/viewer/kept_findings.h"
#include "io/loading/particle_ids.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using test::OutputFolder;
using Words = std::vector<std::string>;

// A series of two snapshots with the same halos; commands are played in their folder.
class Series {
 public:
  Series() {
    test::write_universe(folder.path("a.hdf5"));
    test::write_universe(folder.path("b.hdf5"), test::kBox, test::Order::Scattered);
  }
  // Twice the same file.
  explicit Series(const std::string& file) {
    for (const char* name : {"a.hdf5", "b.hdf5"})
      std::filesystem::copy_file(file, folder.path(name));
  }
  test::Outcome view(const std::string& commands, const Words& more = {}) const {
    test::put_bytes(folder.path("commands.txt"), commands);
    Words words{"view",     "a.hdf5", "b.hdf5", "--headless",
                "--device", "cpu",    "--run",  "commands.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  test::Outcome run(const Words& words) const {
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    test::Outcome outcome = test::run_program(words);
    std::filesystem::current_path(former);
    return outcome;
  }
  // What a state says of halos.
  struct Halos : session::FindingState {
    explicit Halos(const session::FindingState& state)
        : session::FindingState(state), said(state.options.as<analysis::HaloOptions>()) {}
    const analysis::HaloOptions* operator->() const { return &said; }

    analysis::HaloOptions said;
  };
  Halos halos_in(const std::string& state) const {
    return Halos(session::load_state(folder.path(state)).state.finding("halos"));
  }

  OutputFolder folder;
};

// The window's catalog and the command line's hold the same but for what made them.
void check_catalogs(const Series& series, const std::string& arguments, const Words& flags) {
  INFO(arguments);
  const auto window =
      series.view("find halos " + arguments + "\nwait\nexport_halos window.hdf5\nwait\n");
  INFO(window.out << window.err);
  REQUIRE(window.code == 0);
  const auto command = series.run(test::halos_command("a.hdf5", "command.hdf5", flags));
  INFO(command.out << command.err);
  REQUIRE(command.code == 0);
  const std::string written = series.folder.path("window.hdf5");
  CHECK(test::differences(written, series.folder.path("command.hdf5")) ==
        Words{"Provenance@CommandLine"});
  const auto origin = test::Hdf5Contents(written).all;
  CHECK(origin.at("Provenance@CommandLine").starts_with("haloscope view: find halos types="));
  CHECK(origin.count("Provenance/Parameters@assumed") == 1);
}

}  // namespace

TEST_CASE("the window's catalog is that of the command line with the same options",
          "[window][halos]") {
  const Series series;
  check_catalogs(series, "epsilon=1", {"--epsilon", "1", "--attach", "gas"});
  check_catalogs(
      series, "epsilon=0.8 attach=none types=dm,gas min_members=40 min_points=3",
      {"--epsilon", "0.8", "--types", "dm,gas", "--min-members", "40", "--min-points", "3"});
  const std::string inside =
      "epsilon=1% sub_epsilon=0.4 sub_min_members=25 sub_halos=2 softening=0.01 algorithm=fdbscan";
  check_catalogs(series, inside,
                 {"--epsilon", "1", "--attach", "gas", "--sub-epsilon", "0.4", "--sub-min-members",
                  "25", "--sub-halos", "2", "--softening", "0.01", "--algorithm", "fdbscan"});
  const auto table = series.view("find halos " + inside + "\nwait\nexport_halos a.csv\n");
  CHECK(table.code == 2);
  CHECK(table.says("name the output .hdf5"));
  // A table alone has no place for lists of members.
  REQUIRE(series.view("find halos epsilon=1\nwait\nexport_halos window.csv\nwait\n").code == 0);
  REQUIRE(
      series
          .run(test::halos_command("a.hdf5", "command.csv", {"--epsilon", "1", "--attach", "gas"}))
          .code == 0);
  const auto rows = [&](const std::string& name) {
    const std::string text = test::file_bytes(series.folder.path(name));
    return text.substr(text.find("\nGroup"));
  };
  CHECK(rows("window.csv") == rows("command.csv"));
}

TEST_CASE("gas and stars are attached as the command line attaches them", "[window][halos]") {
  const Series series(test::sample_file());
  check_catalogs(series, "linking_length=0.15 min_members=100",
                 {"--linking-length", "0.15", "--min-members", "100", "--attach", "gas,stars"});
}

TEST_CASE("halos are shown again where they were found before", "[window][halos]") {
  const Series series;
  const auto run = series.view(
      "find halos epsilon=1 min_members=50\nwait\nselect_halo 1\nnext_snapshot\nwait\n"
      "save_state b.toml\nprevious_snapshot\nwait\nsave_state a.toml\nselect_halo 2\n"
      "export_halos again.hdf5\nwait\n"
      "next_snapshot\nwait\nfind_halos 0.2 32 2 1\nwait\nprevious_snapshot\nwait\n"
      "save_state a2.toml\nnext_snapshot\nwait\nsave_state b2.toml\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  // The options stay where nothing was found yet.
  CHECK_FALSE(series.halos_in("b.toml").searched);
  CHECK(series.halos_in("b.toml")->epsilon == 1);
  CHECK(series.halos_in("b.toml")->min_members == 50);
  CHECK(series.halos_in("a.toml").searched);
  CHECK_FALSE(series.halos_in("a.toml").selected);
  CHECK(series.halos_in("a.toml")->attach == Words{"gas"});
  // Each snapshot has its own.
  CHECK(series.halos_in("a2.toml").searched);
  CHECK(series.halos_in("a2.toml")->min_members == 50);
  CHECK(series.halos_in("b2.toml").searched);
  CHECK(series.halos_in("b2.toml")->min_members == 32);
  CHECK(series.halos_in("b2.toml")->attach.empty());
  REQUIRE(
      series
          .run(test::halos_command("a.hdf5", "command.hdf5",
                                   {"--epsilon", "1", "--min-members", "50", "--attach", "gas"}))
          .code == 0);
  CHECK(test::differences(series.folder.path("again.hdf5"), series.folder.path("command.hdf5")) ==
        Words{"Provenance@CommandLine"});
}

TEST_CASE("a search that was undone stays away when its snapshot comes back", "[window][halos]") {
  const Series series;
  const auto run = series.view(
      "find halos epsilon=1\nwait\nundo\nnext_snapshot\nwait\nprevious_snapshot\nwait\n"
      "save_state a.toml\nfind halos epsilon=1\nwait\nnext_snapshot\nwait\n"
      "previous_snapshot\nwait\nsave_state again.toml\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK_FALSE(series.halos_in("a.toml").searched);
  CHECK(series.halos_in("again.toml").searched);
}

TEST_CASE("members of a halo are selected, written and followed with what is attached",
          "[window][halos]") {
  const Series series;
  const auto run = series.view(
      "find halos epsilon=1\nwait\nselect_members 0\nwait\nexport_selection members.hdf5\nwait\n"
      "follow_ids on\nnext_snapshot\nwait\nsave_state b.toml\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("selected: 110 particles, 10 gas, 100 dm"));
  CHECK(run.says("110 of 110 IDs found"));
  Progress progress;
  const auto members = io::open_snapshot(series.folder.path("members.hdf5"));
  CHECK(io::load_ids(*members, 0, {}, progress).size() == 10);
  CHECK(io::load_ids(*members, 1, {}, progress).size() == 100);
  // Found anew from what the state says.
  test::put_bytes(series.folder.path("commands.txt"), "wait\n");
  const auto again = series.run(
      {"view", "--headless", "--device", "cpu", "--state", "b.toml", "--run", "commands.txt"});
  INFO(again.out << again.err);
  CHECK(again.says("110 of 110 IDs found"));
}

TEST_CASE("a search that fails is told in the window's words", "[window][halos]") {
  const Series series;
  for (const auto& [line, fault] : std::vector<std::pair<std::string, std::string>>{
           {"find_halos 0.2 32 1", "find_halos: POINTS must be 2 or more"},
           {"find halos min_points=1", "find halos: min_points must be 2 or more"},
           {"find halos types=gas attach=gas", "find halos: attach: gas is asked for twice"},
           {"find halos epsilon=0.1 sub_epsilon=0.2",
            "find halos: sub_epsilon: the linking length inside the halos is longer"}}) {
    const auto run = series.view(line + "\nwait\n");
    INFO(run.out << run.err);
    CHECK(run.code == 2);
    CHECK(run.says(fault));
    CHECK(run.err.find("--") == std::string::npos);
  }
  const auto told = series.view("find halos epsilon=1 attach=none\nwait\n");
  CHECK(told.says("which types and attach do not name"));
}

TEST_CASE("found halos are kept by snapshot and options, until the files change",
          "[window][halos]") {
  const OutputFolder folder;
  const std::string a = folder.path("a"), b = folder.path("b");
  test::put_bytes(a, "1");
  viewer::KeptFindings kept;
  const auto found = [&](double epsilon) {
    auto halos = std::make_shared<analysis::Finding>();
    analysis::HaloOptions options;
    options.epsilon = epsilon;
    halos->finder = "halos";
    halos->options = options;
    halos->files = {a};
    return halos;
  };
  const auto last_of = [&](const std::string& snapshot) {
    return kept.last_of(snapshot, "halos", analysis::HaloOptions{});
  };
  const auto first = found(1), second = found(2);
  kept.keep(a, first);
  kept.keep(a, second);
  CHECK(last_of(a) == second);
  CHECK(kept.of(a, "halos", first->options) == first);
  CHECK(kept.last_of(a, "halos", first->options) == first);
  CHECK(!kept.of(a, "peaks", first->options));
  CHECK(!kept.of(b, "halos", first->options));
  CHECK(!last_of(b));
  // What was withdrawn can still be had by its name.
  kept.withdraw(*second, true);
  CHECK(last_of(a) == first);
  CHECK(kept.of(a, "halos", second->options) == second);
  kept.withdraw(*second, false);
  kept.forget_changed(a);
  CHECK(last_of(a) == second);
  test::put_bytes(a, "22");
  kept.forget_changed(a);
  CHECK(!last_of(a));
  for (int k = 0; k < 100; ++k) kept.keep(std::to_string(k), found(k));
  CHECK(!last_of("0"));
  CHECK(last_of("99"));
}

}  // namespace haloscope::app::viewer
