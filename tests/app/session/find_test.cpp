// The command that searches for halos, as it is given, checked and recorded.

#include "analysis/halos/halo_options.h"
#include "app/session/command_table.h"
#include "app/session/completion.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/made/slab_finder.h"
#include "tests/output_folder.h"

#include <memory>
#include <string>
#include <vector>

using namespace haloscope::app::session;
using haloscope::test::FakeActions;

namespace {

const haloscope::analysis::HaloOptions& halos_of(const State& state) {
  return state.finding("halos").options.as<haloscope::analysis::HaloOptions>();
}

}  // namespace

TEST_CASE("halos are searched for with all options, which a recording keeps in full") {
  haloscope::SnapshotInfo info;
  info.files = {"snap.hdf5"};
  info.box_size = 100;
  for (const int type : {0, 1, 4}) {
    haloscope::TypeInfo& one = info.types[type];
    one.name = haloscope::type_name(type);
    one.count = 10;
    one.fields.emplace_back().name = "Coordinates";
    one.roles[haloscope::Role::Position] = "Coordinates";
  }
  State state;
  FakeActions actions;
  actions.facts.info = &info;
  using Words = std::vector<std::string>;
  const auto recorded = [&](const std::string& line) {
    const Call call = parse_command(line);
    run_command(call, state, actions);
    const std::string kept = to_text(as_recorded(call, state));
    State again;
    run_command(kept, again, actions);
    CHECK(again == state);
    return kept;
  };
  CHECK(recorded("find halos min_members=40") ==
        "find halos types=auto attach=gas,stars linking_length=0.2 min_points=2 min_members=40 "
        "algorithm=auto");
  CHECK(state.finding("halos").searched);
  CHECK(halos_of(state).attach == Words{"gas", "stars"});
  recorded("find halos types=gas epsilon=10% sub_halos=2 sub_epsilon=1");
  CHECK(halos_of(state).epsilon == 10);
  CHECK(halos_of(state).attach == Words{"stars"});
  CHECK(halos_of(state).min_members == 32);
  recorded("find halos \"attach=none\"");
  CHECK(halos_of(state).attach.empty());
  // As before there were more options, whatever was searched for last.
  recorded("find halos types=stars attach=gas min_points=3");
  CHECK(to_text(as_recorded(parse_command("find_halos 0.15 50"), state)) == "find_halos 0.15 50");
  run_command("find_halos 0.15 50", state, actions);
  haloscope::analysis::HaloOptions dark;
  dark.spacings = 0.15;
  dark.min_members = 50;
  dark.min_points = 3;
  CHECK(state.finding("halos").options == dark);
  const auto fault = [&](const std::string& line) {
    const State before = state;
    try {
      run_command(line, state, actions);
    } catch (const haloscope::Error& error) {
      CHECK(state == before);
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  CHECK(fault("find_halos 0.2 32 1") == "find_halos: POINTS must be 2 or more");
  CHECK(fault("find_halos 0") == "find_halos: SPACINGS must be a positive number");
  CHECK(fault("find_halos 0.2 0") == "find_halos: MEMBERS must be 1 or more");
  CHECK(fault("find_halos 0.2 32 2 0") == "find_halos: EPSILON must be a positive number");
  CHECK(fault("find halos min_points=1") == "find halos: min_points must be 2 or more");
  CHECK(fault("find halos epsilon=1 linking_length=0.2") ==
        "find halos: linking_length and epsilon say the same in two ways; give one of them");
  CHECK(fault("find halos epsilon=1 epsilon=2") == "find halos: epsilon is given twice");
  CHECK(fault("find halos min_member=3") ==
        "find halos: there is no option 'min_member'; did you mean min_members?");
  CHECK(fault("find halos 5") == "find halos: '5' is no option; write KEY=VALUE");
  CHECK(fault("find halos attach=dm").find("asked for twice") != std::string::npos);
  CHECK(fault("find halos sub_halos=1") ==
        "find halos: sub_halos: there is no search inside the halos; add sub_linking_length or "
        "sub_epsilon");
  actions.facts.info = nullptr;
  CHECK(fault("find halos").find("wait for it, or give attach") != std::string::npos);
  CHECK(fault("find halos attach=none") == "no fault");
  CHECK(complete("find halos sub_e", actions.facts).front().text == "find halos sub_epsilon=");
}

TEST_CASE("a rectangle of births and deaths is selected by its numbers") {
  State state;
  FakeActions actions;
  const auto fault = [&](const std::string& line) {
    const State before = state;
    try {
      run_command(line, state, actions);
    } catch (const haloscope::Error& error) {
      CHECK(state == before);
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  CHECK(fault("select_pairs peaks 1 2 3 4").find("find peaks first") != std::string::npos);
  run_command("find peaks", state, actions);
  CHECK(fault("select_pairs peaks 1 2 3 4") ==
        "select_pairs: peaks have no diagram of births and deaths");
  actions.facts.plots_of_pairs = {"peaks"};
  CHECK(fault("select_pairs peaks 1 2 3") == "select_pairs: the four numbers belong together");
  CHECK(fault("select_pairs peaks 2 1 3 4") == "select_pairs: LOW must be smaller than HIGH");
  run_command("structures halos", state, actions);
  run_command("select_pairs peaks 10 1e3 0.5 20", state, actions);
  // A command may put another state in the place of this one.
  const auto peaks = [&]() -> const FindingState& { return state.finding("peaks"); };
  CHECK(peaks().births == Limits{10, 1e3});
  CHECK(peaks().deaths == Limits{0.5, 20});
  CHECK(state.shown_finder == "peaks");
  // A click selects one beside them; selecting none, or others, takes them away.
  run_command("select peaks 1", state, actions);
  CHECK((peaks().births && peaks().selected == 1));
  run_command("cut peaks mean:3", state, actions);
  CHECK(peaks().births);
  run_command("select peaks", state, actions);
  CHECK((!peaks().births && !peaks().deaths));
  run_command("select_pairs peaks 10 1e3 0.5 20", state, actions);
  run_command("select_pairs peaks", state, actions);
  CHECK((!peaks().births && !peaks().deaths));
  run_command("select_pairs peaks 10 1e3 0.5 20", state, actions);
  run_command("find peaks grid=32", state, actions);
  CHECK((!peaks().births && !peaks().deaths));
}

TEST_CASE("a slice lies in the grid of what was found") {
  State state;
  FakeActions actions;
  const auto fault = [&](const std::string& line) {
    const State before = state;
    try {
      run_command(line, state, actions);
    } catch (const haloscope::Error& error) {
      CHECK(state == before);
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  CHECK(fault("slice x") == "slice: there is no grid yet: find peaks first, and wait for it");
  actions.facts.grid = SceneFacts::GridFacts{{{0, 10, 0}, {100, 50, 100}}, Transform::Log};
  run_command("slice y", state, actions);
  CHECK(state.slice.axis == 1);
  CHECK(state.slice.position == 30);
  CHECK(fault("slice y 5") == "slice: POSITION 5 lies outside the grid: give one from 10 to 50");
  run_command("slice y 50", state, actions);
  CHECK(state.slice.position == 50);
  run_command("slice y", state, actions);
  CHECK(state.slice.position == 50);
  run_command("slice z 25%", state, actions);
  CHECK(state.slice.axis == 2);
  CHECK(state.slice.position == 25);
  CHECK(fault("slice off 3") == "slice: `off` takes no POSITION");
  CHECK(fault("slice_opacity 1.5") == "slice_opacity: OPACITY must lie between 0 and 1");
  run_command("slice_opacity 0.25", state, actions);
  CHECK(state.slice.opacity == 0.25);
  // Its color is changed as all colors are.
  run_command("color_map slice magma", state, actions);
  run_command("limits slice 0.1 100", state, actions);
  CHECK(state.slice.look.color_map == "magma");
  CHECK(state.slice.look.limits == Limits{0.1, 100});
  run_command("scale slice toggle", state, actions);
  CHECK(state.slice.look.scale == Transform::Linear);
  run_command("auto_limits slice", state, actions);
  CHECK_FALSE(state.slice.look.limits);
  run_command("slice off", state, actions);
  CHECK_FALSE(state.slice.axis);
}

TEST_CASE("a line is completed by what its finder takes and has found") {
  const haloscope::analysis::AddedFinder added(std::make_shared<haloscope::test::SlabFinder>());
  FakeActions actions;
  using Words = std::vector<std::string>;
  const auto lines = [&](const std::string& typed) {
    Words all;
    for (const Completion& one : complete(typed, actions.facts)) all.push_back(one.text);
    return all;
  };
  CHECK(lines("find slabs ") == Words{"find slabs slabs=", "find slabs types="});
  CHECK(lines("find slabs slabs=3 ty") == Words{"find slabs slabs=3 types="});
  CHECK(lines("find halos sl").empty());
  CHECK(lines("color_by slabs ").empty());
  CHECK(lines("export_plot ").empty());
  actions.facts.finding_fields = {{"slabs", {{"x", Transform::Linear}}}};
  actions.facts.plots = {"mass_function"};
  CHECK(lines("color_by slabs ") == Words{"color_by slabs x"});
  CHECK(lines("color_by halos ").empty());
  CHECK(lines("color_by off ").empty());
  CHECK(lines("field gas temp") == Words{"field gas Temperature"});
  CHECK(lines("export_plot mass") == Words{"export_plot mass_function"});
  CHECK(lines("limits sl") == Words{"limits slabs", "limits slice"});
}

TEST_CASE("commands about pieces offer the finders that have pieces") {
  const haloscope::analysis::AddedFinder added(std::make_shared<haloscope::test::HeightFinder>());
  State state;
  FakeActions actions;
  for (const std::string command : {"select", "fly_to", "cut", "select_branch"}) {
    INFO(command);
    CHECK(complete(command + " height", actions.facts).empty());
    CHECK(complete(command + " clus", actions.facts).size() == 1);
  }
  for (const std::string command : {"find", "structures", "color_by", "export"}) {
    INFO(command);
    CHECK(complete(command + " height", actions.facts).size() == 1);
  }
  // In docs/commands.md.
  CHECK(command_reference().find("`cut halos\\|clusters\\|peaks\\|loaded_halos\\|whole WHERE") !=
        std::string::npos);
  CHECK(command_reference().find(
            "`find halos\\|clusters\\|peaks\\|loaded_halos\\|whole\\|height [KEY=VALUE") !=
        std::string::npos);
  // Who types it all the same is told why.
  CHECK(haloscope::test::message_of([&] { run_command("cut height off", state, actions); }) ==
        "cut: height finds fields of the particles, and no pieces");
}
