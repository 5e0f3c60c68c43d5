// What a session reads is never replaced by what it writes.

#include "analysis/loaded_halos/loaded_halos_options.h"
#include "app/session/command_table.h"
#include "core/error.h"
#include "core/snapshot_info.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace haloscope;
using namespace haloscope::app::session;

TEST_CASE("no command replaces a file that the session reads", "[session]") {
  const test::OutputFolder folder;
  const auto file = [&](const char* name) {
    std::ofstream(folder.path(name)) << "x,y,z\n1,2,3\n";
    return folder.path(name);
  };
  State state;
  state.snapshots = {file("a.csv"), file("b.csv"), file("snap_099.0.csv"), folder.path("dir")};
  file("snap_099.1.csv");
  std::filesystem::create_directory(folder.path("dir"));
  file("dir/snap_100.3.csv");
  for (const char* name :
       {"b.csv.iord", "b.csv.haloscope.toml", "b.csv.haloscope-lengths", "run.param"})
    file(name);
  SnapshotInfo info;
  info.files = {state.snapshots[0], file("a.1.csv")};
  test::FakeActions actions;
  actions.facts.info = &info;
  FindingState& loaded = state.finding("loaded_halos");
  loaded.options = analysis::LoadedHalosOptions{file("catalog.csv"), {}, {}};
  loaded.searched = true;
  state.compared =
      ComparedState{"loaded_halos", analysis::LoadedHalosOptions{file("other.csv"), {}, {}}};
  state.profile.emplace();
  state.profile->options.catalog = file("rows.csv");
  const char* const commands[] = {
      "export halos ", "export_halos ",     "export_plot mass_function ",
      "screenshot ",   "export_selection ", "save_state ",
      "save_path ",    "export_frames "};
  actions.facts.recording = file("recording.txt");
  for (const char* how : {"", " overwrite"})
    CHECK_THROWS_WITH(
        run_command("screenshot " + folder.path("recording.txt") + how, state, actions),
        Catch::Contains("this session is recorded in that file"));
  for (const char* name : {"a.csv", "b.csv", "a.1.csv", "catalog.csv", "other.csv", "rows.csv",
                           "snap_099.0.csv", "snap_099.1.csv", "dir/snap_100.3.csv", "b.csv.iord",
                           "b.csv.haloscope.toml", "b.csv.haloscope-lengths", "run.param"})
    for (const char* command : commands)
      for (const char* how : {"", " overwrite"}) {
        CAPTURE(command, name, how);
        CHECK_THROWS_WITH(run_command(command + folder.path(name) + how, state, actions),
                          Catch::Contains("would overwrite a file that is read"));
      }
  CHECK(actions.asked.empty());
  // A catalog that is not loaded any more is a file as others are.
  loaded.searched = false;
  state.finding("halos").searched = true;
  run_command("export_plot mass_function " + folder.path("catalog.csv"), state, actions);
  // Nor is one whose name has another number before another end.
  run_command("export_plot mass_function " + file("snap_098.1.csv"), state, actions);
  run_command("screenshot " + file("b.csv.png"), state, actions);
  CHECK(actions.asked.size() == 3);
  // The catalog that lies beside the snapshot is read where no other is named.
  info.files = {file("snapshot_003.hdf5")};
  state.finding("loaded_halos").options = analysis::LoadedHalosOptions{};
  state.finding("loaded_halos").searched = true;
  CHECK_THROWS_WITH(run_command("export halos " + file("fof_subhalo_tab_003.hdf5") + " overwrite",
                                state, actions),
                    Catch::Contains("would overwrite a file that is read"));
}

TEST_CASE("a state without a name is kept beside those before", "[session]") {
  const test::OutputFolder folder;
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  State state;
  test::FakeActions actions;
  run_command("save_state", state, actions);
  run_command("save_state", state, actions);
  std::filesystem::current_path(former);
  CHECK(std::ifstream(folder.path("haloscope-0001.toml")).good());
  CHECK(std::ifstream(folder.path("haloscope-0002.toml")).good());
  CHECK_FALSE(std::ifstream(folder.path("haloscope-0003.toml")).good());
}
