#include "app/session/command_table.h"
#include "app/session/history.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <fmt/format.h>

#include <algorithm>

// Commands about sets: what they make of a state, and what they refuse.

using namespace haloscope::app::session;
using haloscope::analysis::NamedSet;
using haloscope::analysis::parse_color;
using haloscope::analysis::SetOperation;
using haloscope::analysis::ShowSets;
using haloscope::test::FakeActions;
using haloscope::test::message_of;

namespace {

struct Sets {
  State state;
  FakeActions actions;

  Sets() {
    state.snapshots = {"a.hdf5", "b.hdf5"};
    state.camera = Camera{};
  }
  void run(const std::string& line) { run_command(line, state, actions); }
  // What was said against a line, which has then changed nothing.
  std::string fault(const std::string& line) {
    const State before = state;
    const std::string told = message_of([&] { run(line); });
    CHECK(state == before);
    return told;
  }
  const NamedSet& set(std::size_t k) const { return state.sets.at(k); }
};

// Two sets and one of them.
struct Three : Sets {
  Three() {
    run("select_sphere 1 2 3 4");
    run("set a");
    run("select_box 0 0 0 5 5 5");
    run("set b ff8000");
    run("combine_sets c a difference b");
  }
};

}  // namespace

TEST_CASE("sets keep what was selected when they were made", "[sets][commands]") {
  Three made;
  REQUIRE(made.state.sets.size() == 3);
  CHECK(made.set(0).first.selection.kind == SelectionKind::Sphere);
  CHECK(made.set(0).first.selection.radius == 4);
  CHECK(made.set(0).color == parse_color("green"));
  CHECK(made.set(1).first.selection.kind == SelectionKind::Box);
  CHECK(made.set(1).color == std::array<double, 3>{1, 128 / 255., 0});
  CHECK(made.set(2).first.set == "a");
  CHECK(made.set(2).operation == SetOperation::Difference);
  CHECK(made.set(2).second.set == "b");
  CHECK(made.set(2).color == parse_color("orange"));
  CHECK(std::count(made.actions.asked.begin(), made.actions.asked.end(), "gather_sets") == 3);
  // The same name again: other particles in the same color.
  made.run("set a");
  CHECK(made.state.sets.size() == 3);
  CHECK(made.set(0).first.selection.kind == SelectionKind::Box);
  CHECK(made.set(0).color == parse_color("green"));
  made.run("combine_sets a selection union b");
  CHECK(made.set(0).operation == SetOperation::Union);
  CHECK(made.set(0).first.selection.kind == SelectionKind::Box);
  made.run("set a own");
  CHECK(made.set(0).operation == SetOperation::None);
  CHECK(made.set(0).second == haloscope::analysis::SetOperand{});
  CHECK_FALSE(made.set(0).color);
}

TEST_CASE("looks of sets ask for no particle", "[sets][commands]") {
  Three made;
  made.actions.asked.clear();
  made.run("set_color a violet");
  CHECK(made.set(0).color == *haloscope::analysis::parse_color("violet"));
  made.run("set_color a own");
  CHECK_FALSE(made.set(0).color);
  made.run("show_set a off");
  CHECK_FALSE(made.set(0).shown);
  made.run("show_set a");
  CHECK(made.set(0).shown);
  CHECK(made.actions.asked.empty());
  made.run("show_sets dim");
  CHECK(made.state.show_sets == ShowSets::Dim);
  made.run("show_sets only");
  CHECK(made.state.show_sets == ShowSets::Only);
  made.run("show_sets highlight");
  CHECK(made.state.show_sets == ShowSets::Highlight);
  made.run("show_sets off");
  CHECK(made.state.show_sets == ShowSets::Off);
}

TEST_CASE("without a set, the selection is shown as one", "[sets][commands]") {
  Sets made;
  CHECK(sets_of(made.state).empty());
  CHECK_FALSE(to_render_request(made.state).sets);
  made.run("select_sphere 1 2 3 4");
  CHECK_FALSE(to_render_request(made.state).sets);
  made.run("show_sets dim");
  const auto request = to_render_request(made.state);
  REQUIRE(request.sets);
  CHECK(request.sets->how == ShowSets::Dim);
  REQUIRE(request.sets->sets.size() == 1);
  CHECK(request.sets->sets[0].first.selection.radius == 4);
  CHECK(request.sets->series == made.state.snapshots);
  made.run("set kept");
  made.run("select_none");
  REQUIRE(to_render_request(made.state).sets);
  CHECK(to_render_request(made.state).sets->sets[0].name == "kept");
  made.run("remove_set kept");
  CHECK_FALSE(to_render_request(made.state).sets);
}

TEST_CASE("commands about sets refuse what cannot be in one sentence", "[sets][commands]") {
  Sets none;
  CHECK(none.fault("set a") == "set: nothing is selected: select particles first");
  CHECK(none.fault("show_sets dim") ==
        "show_sets: nothing is selected, and there is no set: select particles first");
  CHECK(none.fault("combine_sets a selection union selection") ==
        "combine_sets: nothing is selected: select particles first");
  CHECK_NOTHROW(none.run("show_sets off"));
  Three made;
  CHECK(made.fault("set \"\"").find("set: '' cannot be the name of a set; take 1 to 40") == 0);
  CHECK(made.fault("set selection").find("cannot be the name of a set") != std::string::npos);
  CHECK(made.fault("set d blau").find("set: 'blau' is no color: take sky, orange") == 0);
  CHECK(made.fault("set_color a \"#12\"").find("set_color: '#12' is no color") == 0);
  CHECK(made.fault("set_color x sky") == "set_color: there is no set 'x'");
  CHECK(made.fault("show_set x off") == "show_set: there is no set 'x'");
  CHECK(made.fault("remove_set x") == "remove_set: there is no set 'x'");
  CHECK(made.fault("combine_sets d a union x") == "combine_sets: there is no set 'x'");
  CHECK(
      made.fault("combine_sets a c union b").find("combine_sets: the set 'a' is made of itself") ==
      0);
  CHECK(made.fault("combine_sets d a minus b").find("OPERATION") != std::string::npos);
  CHECK(made.fault("remove_set a") == "remove_set: 'c' is made of 'a': remove it first");
  CHECK(made.fault("show_sets bright").find("show_sets") == 0);
  for (int k = 3; k < 12; ++k) made.run(fmt::format("set s{}", k));
  CHECK(made.fault("set more") ==
        "set: there are 12 sets already; remove one of them first (remove_set)");
  CHECK(made.fault("combine_sets more a union b").find("there are 12 sets already") !=
        std::string::npos);
  CHECK_NOTHROW(made.run("set s3"));
}

TEST_CASE("sets are undone and done again", "[sets][history]") {
  Sets made;
  History history;
  const auto run = [&](const std::string& line) {
    const Call call = parse_command(line);
    const State before = made.state;
    run_command(call, made.state, made.actions);
    history.note(call, before, made.state, 0);
    return before;
  };
  std::vector<State> before;
  for (const char* line : {"select_sphere 1 2 3 4", "set a", "set b", "combine_sets c a union b",
                           "set_color a own", "show_set b off", "show_sets only", "remove_set c"})
    before.push_back(run(line));
  const State last = made.state;
  for (std::size_t k = before.size(); k-- > 0;) {
    const auto step = history.undo(made.state);
    REQUIRE(step);
    made.state = step->state;
    CHECK(made.state == before[k]);
  }
  for (std::size_t k = 0; k < before.size(); ++k) made.state = history.redo(made.state)->state;
  CHECK(made.state == last);
}

TEST_CASE("the camera follows a set that is there", "[sets][commands]") {
  Three made;
  CHECK(made.fault("follow x") == "follow: there is no set 'x'");
  made.actions.asked.clear();
  made.run("follow c");
  CHECK(made.state.follow == "c");
  CHECK(made.actions.asked == std::vector<std::string>{"gather_sets"});
  REQUIRE(to_render_request(made.state).sets);
  CHECK(to_render_request(made.state).sets->follow == "c");
  CHECK(to_render_request(made.state).sets->how == ShowSets::Off);
  CHECK(parse_state(state_text(made.state), "s.toml").state == made.state);
  made.run("remove_set c");
  CHECK(made.state.follow.empty());
  made.run("follow a");
  made.run("follow off");
  CHECK(made.state.follow.empty());
  CHECK_FALSE(to_render_request(made.state).sets);
  CHECK(message_of([] {
          parse_state("version = 1\nfollow = \"a\"\n", "s.toml");
        }).find("'follow' names no set") != std::string::npos);
}

TEST_CASE("another snapshot that is opened has no sets", "[sets][commands]") {
  Three made;
  made.run("show_sets dim");
  made.run("next_snapshot");
  CHECK(made.state.sets.size() == 3);
  made.run("open c.hdf5");
  CHECK(made.state.sets.empty());
  CHECK(made.state.show_sets == ShowSets::Off);
}

TEST_CASE("sets come back from a state file", "[sets][state]") {
  Three made;
  made.state.current = 1;
  made.run("follow_ids on");
  made.run("select_value Temperature 10 20");
  made.run("set \"a \\\"name\\\" with blanks\" own");
  made.run("show_set b off");
  made.run("show_sets dim");
  const ReadState read = parse_state(state_text(made.state), "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state.sets == made.state.sets);
  CHECK(read.state.show_sets == ShowSets::Dim);
  CHECK(read.state == made.state);
  CHECK(read.state.sets[3].first.selection.made_in == 1);
  CHECK(read.state.sets[3].first.selection.follow_ids);
  // A state of before sets has none.
  CHECK(parse_state("version = 1\n", "s.toml").state.sets.empty());
}

TEST_CASE("states with sets that cannot be are refused in a sentence", "[sets][state]") {
  const auto fault = [](const std::string& text) {
    return message_of([&] { parse_state("version = 1\nsnapshots = [\"a\"]\n" + text, "s.toml"); });
  };
  const std::string a =
      "[[set]]\nname = \"a\"\n[set.first.selection]\nkind = \"sphere\"\nradius = 1\n";
  CHECK(fault(a).empty());
  CHECK(fault(a + a).find("two sets have the name 'a'") != std::string::npos);
  CHECK(fault("[[set]]\nname = \"a\"\ncolor = \"blau\"\n").find("'color' must be own, the name") !=
        std::string::npos);
  CHECK(fault("[[set]]\nname = \"a\"\n[set.first]\nset = \"a\"\n").find("is made of itself") !=
        std::string::npos);
  CHECK(fault("[[set]]\nname = \"a\"\n[set.first]\nset = \"b\"\n").find("there is no set 'b'") !=
        std::string::npos);
  CHECK(fault(a + "made_in = 1\n").find("beyond the last snapshot") != std::string::npos);
  std::string many;
  for (int k = 0; k < 13; ++k) many += fmt::format("[[set]]\nname = \"{}\"\n", k);
  CHECK(fault(many).find("there are 12 sets already") != std::string::npos);
}

TEST_CASE("words of the commands for sets are no names, and combined sets take a color",
          "[sets][commands]") {
  Three made;
  for (const std::string name : {"own", "sky", "union", "difference", "ff8800"}) {
    CHECK(made.fault("set " + name).find("take another name") != std::string::npos);
    CHECK(made.fault("combine_sets " + name + " a union b").find("take another name") !=
          std::string::npos);
  }
  made.run("combine_sets d a union b 00ff00");
  CHECK(made.set(3).color == std::array<double, 3>{0, 1, 0});
  made.run("combine_sets d b union a own");
  CHECK_FALSE(made.set(3).color);
  // A set of an older state keeps its name.
  made.state.sets[0].name = "sky";
  made.state.sets.resize(1);
  made.run("set sky");
  CHECK(made.set(0).first.selection.kind == SelectionKind::Box);
}

TEST_CASE("a field that the snapshot does not have is no selection", "[sets][commands]") {
  Sets made;
  haloscope::SnapshotInfo info;
  info.files = {"a.hdf5"};
  info.types[0].name = "gas";
  info.types[0].count = 10;
  haloscope::FieldInfo field;
  field.name = "Density";
  info.types[0].fields.push_back(field);
  made.actions.facts.info = &info;
  made.run("select_value density 1 2");
  CHECK(made.fault("select_value Densty 1 2").find("Density") != std::string::npos);
}
