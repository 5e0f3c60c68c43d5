#include "app/session/completion.h"

#include "app/session/command_table.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <string>
#include <vector>

// What a line for commands is completed to, by the snapshot, the state and a folder.

namespace haloscope::app::session {

namespace {

using Lines = std::vector<std::string>;

struct Line {
  test::FakeActions actions;
  State state;
  Lines files;

  Lines operator()(const std::string& typed) const {
    Lines all;
    for (const Completion& one : complete(typed, actions.facts, state, files))
      all.push_back(one.text);
    return all;
  }
};

}  // namespace

TEST_CASE("types and fields are those of the snapshot", "[command]") {
  Line line;
  CHECK(line("show ") == Lines{"show all", "show gas", "show dm", "show stars"});
  CHECK(line("field gas ") ==
        Lines{"field gas Density", "field gas Temperature", "field gas auto"});
  CHECK(line("field dm ") == Lines{"field dm LocalDensity", "field dm auto"});
  CHECK(line("field 1 L") == Lines{"field 1 LocalDensity"});
  CHECK(line("select_value Temp") == Lines{"select_value Temperature"});
  CHECK(line("phase Dens") == Lines{"phase Density", "phase LocalDensity"});
  CHECK(line("phase Density Temperature Dens").empty());
  CHECK(line("phase Density Temperature wei") == Lines{"phase Density Temperature weight="});
  // While nothing is open, all are offered.
  line.actions.facts = {};
  CHECK(line("show b") == Lines{"show bulge", "show bh"});
}

TEST_CASE("behind KEY= stand the words that it takes", "[command]") {
  Line line;
  CHECK(line("find halos attach=g") == Lines{"find halos attach=gas"});
  CHECK(line("find halos attach=gas,s") == Lines{"find halos attach=gas,stars"});
  CHECK(line("find clusters select=") ==
        Lines{"find clusters select=eom", "find clusters select=leaf"});
  CHECK(line("find clusters allow_single_cluster=o") ==
        Lines{"find clusters allow_single_cluster=on", "find clusters allow_single_cluster=off"});
  CHECK(line("phase x=Dens") == Lines{"phase x=Density"});
  CHECK(line("phase Density x_scale=l") ==
        Lines{"phase Density x_scale=linear", "phase Density x_scale=log"});
  CHECK(line("find halos min_members=").empty());
  CHECK(line("find halos nothing=").empty());
}

TEST_CASE("names of sets, bookmarks, keys, pieces and snapshots are completed", "[command]") {
  Line line;
  line.state.sets.resize(2);
  line.state.sets[0].name = "core";
  line.state.sets[1].name = "hot gas";
  line.state.bookmarks = {{"far", {}}};
  line.state.path.resize(2);
  line.state.path[1].seconds = 2.5;
  line.state.snapshots = {"a/one.hdf5", "a/two.hdf5"};
  CHECK(line("follow ") == Lines{"follow core", "follow \"hot gas\"", "follow off"});
  CHECK(line("follow hot") == Lines{"follow \"hot gas\""});
  CHECK(line("combine_sets new sel") == Lines{"combine_sets new selection"});
  CHECK(line("combine_sets new core un") == Lines{"combine_sets new core union"});
  CHECK(line("set core or") == Lines{"set core orange"});
  CHECK(line("go_to_bookmark f") == Lines{"go_to_bookmark far"});
  CHECK(line("go_to_key ") == Lines{"go_to_key 1", "go_to_key 2"});
  CHECK(line("show_snapshot ") ==
        Lines{"show_snapshot 0", "show_snapshot 1", "show_snapshot last"});
  CHECK(complete("go_to_key 2", line.actions.facts, line.state).front().help == "at 2.5 s");
  line.actions.facts.piece_counts.clear();
  CHECK(line("select halos ").empty());
  line.actions.facts.piece_counts = {{"halos", 3}};
  line.state.finding("halos").selected = 1;
  CHECK(line("select halos ") == Lines{"select halos 1", "select halos 0", "select halos 2"});
  CHECK(line("ruler ") == Lines{"ruler off"});
  CHECK(line("profile ") != line("profile halos 0 "));
  CHECK(line("profile cent") == Lines{"profile center="});
}

TEST_CASE("paths are completed where a file is meant, in quotes where they need them",
          "[command]") {
  Line line;
  CHECK(path_in("open da") == "da");
  CHECK(path_in("open \"my da") == "my da");
  CHECK(path_in("open a.hdf5 ") == "");
  CHECK(path_in("export halos h") == "h");
  CHECK_FALSE(path_in("export hal"));
  CHECK_FALSE(path_in("orbit 1"));
  CHECK_FALSE(path_in("open # da"));
  CHECK_FALSE(path_in("open \"half an escape\\"));
  line.files = {"data/", "my data/a.hdf5"};
  CHECK(line("open da") == Lines{"open data/", "open \"my data/a.hdf5\""});
  // Another word may follow a file, and no blank a folder.
  const auto both = complete("save_state da", line.actions.facts, {}, line.files);
  CHECK_FALSE(both.at(0).more);
  CHECK(both.at(1).more);
  line.files.clear();
  CHECK(line("save_state out.toml o") == Lines{"save_state out.toml overwrite"});
  CHECK(line("orbit 1 2 3").empty());
}

TEST_CASE("a line tells how its command is used once that is typed", "[command]") {
  CHECK(usage_in("orb").empty());
  CHECK(usage_in("orbit ").starts_with("orbit YAW PITCH\n"));
}

}  // namespace haloscope::app::session
