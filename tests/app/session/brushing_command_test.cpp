#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

// What is drawn over the picture or a plot becomes the selection.

using namespace haloscope::app::session;
using haloscope::analysis::PlotParticles;
using haloscope::test::FakeActions;
using haloscope::test::message_of;

namespace {

struct Desk {
  State state;
  FakeActions actions;

  Desk() {
    state.snapshots = {"a.hdf5"};
    state.camera = Camera{true, {50, 40, 30}, 200, {}, 40, 100};
    actions.facts.brushable["phase"] = PlotParticles{"Density", "Temperature"};
    actions.facts.brushable["profile_density"].center = haloscope::Vec{1, 2, 3};
    actions.facts.brushable["mass_function"].property = "Mass";
    actions.facts.brushable["mass_function"].unit = 1e-10;
  }
  void run(const std::string& line) { run_command(line, state, actions); }
  // What was said against a line, which has then changed nothing.
  std::string fault(const std::string& line) {
    const State before = state;
    const std::string told = message_of([&] { run(line); });
    CHECK(state == before);
    return told;
  }
};

bool says(const std::string& told, const std::string& words) {
  return told.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a lasso is a selection with the camera that it was drawn under", "[brush][commands]") {
  Desk desk;
  desk.run("select_lasso -0.1 -0.1 0.2 -0.1 0 0.25");
  REQUIRE(desk.state.selection.kind == SelectionKind::Outline);
  REQUIRE(desk.state.selection.outline);
  const auto outline = *desk.state.selection.outline;
  CHECK(outline.middle == haloscope::Vec{50, 40, 30});
  CHECK(outline.width == Approx(width_at(*desk.state.camera, 200)));
  REQUIRE(outline.corners.size() == 3);
  CHECK(outline.corners[2].at == std::array<double, 2>{0, 0.25});
  // Another view leaves it, and a state and a set keep it.
  desk.run("orbit 40 0");
  CHECK(desk.state.selection.outline == outline);
  desk.run("set around");
  const State read = parse_state(state_text(desk.state), "text").state;
  CHECK(read.selection == desk.state.selection);
  CHECK(read.sets == desk.state.sets);
  CHECK(says(desk.fault("select_lasso 0 0 1 1 2"), "5 numbers are no places"));
  CHECK(says(desk.fault("select_lasso 0 0 1 1"), "three corners"));
}

TEST_CASE("a part of a plot is a selection of its particles", "[brush][commands]") {
  Desk desk;
  desk.run("brush phase 1e-5 1e-3 1e4 1e6");
  CHECK(desk.state.selection.kind == SelectionKind::Value);
  CHECK(desk.state.selection.field == "Density");
  CHECK(desk.state.selection.second_field == "Temperature");
  CHECK(desk.state.selection.second_limits == Limits{1e4, 1e6});
  const State read = parse_state(state_text(desk.state), "text").state;
  CHECK(read.selection == desk.state.selection);
  // Along x alone.
  desk.run("brush phase 1e-5 1e-3");
  CHECK_FALSE(desk.state.selection.second_limits);
  desk.run("brush profile_density 2 5");
  CHECK(desk.state.selection.kind == SelectionKind::Sphere);
  CHECK(desk.state.selection.center == haloscope::Vec{1, 2, 3});
  CHECK(desk.state.selection.radius == 5);
  CHECK(desk.state.selection.inner == 2.);
  CHECK(parse_state(state_text(desk.state), "text").state.selection == desk.state.selection);
  desk.run("brush mass_function 1e12 1e14");
  CHECK(desk.state.selection.kind == SelectionKind::Pieces);
  CHECK(desk.state.selection.field == "Mass");
  CHECK(desk.state.selection.limits[0] == Approx(100));
  CHECK(desk.state.selection.limits[1] == Approx(1e4));
  CHECK(parse_state(state_text(desk.state), "text").state.selection == desk.state.selection);
}

TEST_CASE("a brush around points and branches selects these by their numbers",
          "[brush][commands]") {
  using haloscope::analysis::PlotPieces;
  Desk desk;
  const auto let_brush = [&](const char* name, PlotPieces pieces) {
    desk.actions.facts.brushable[name].pieces =
        std::make_shared<const PlotPieces>(std::move(pieces));
  };
  let_brush("mass_ratios", {{{10, 1, 0}, {8, 2.5, 3}, {7, 3, 2}, {6, 1, 1}, {5, 2, 7}}});
  let_brush("compared_counts", {{{10, 0, 0}, {8, 0, 3}}, false, false});
  let_brush("dendrogram", {{{1, 100, 4}, {2, 90, 5}, {3, 10, 6}}, true});
  desk.run("brush mass_ratios 5 9 2 4");
  CHECK(desk.state.selection.kind == SelectionKind::Pieces);
  CHECK(desk.state.selection.numbers == "2-3 7");
  CHECK(desk.state.selection.finder == "halos");
  CHECK(parse_state(state_text(desk.state), "text").state.selection == desk.state.selection);
  desk.run("brush mass_ratios 5 9");
  CHECK(desk.state.selection.numbers == "1-3 7");
  desk.run("brush compared_counts 7 20");
  CHECK(desk.state.selection.numbers == "0 3");
  desk.run("brush dendrogram 0 2.5 50 200");
  CHECK(desk.state.selection.kind == SelectionKind::Branch);
  CHECK(desk.state.selection.numbers == "4-5");
  CHECK(parse_state(state_text(desk.state), "text").state.selection == desk.state.selection);
  CHECK(says(desk.fault("brush mass_ratios 100 200"), "no point of mass_ratios lies there"));
  CHECK(says(desk.fault("brush dendrogram 0 1 1 2"), "no branch of dendrogram lies there"));
  CHECK(says(desk.fault("brush compared_counts 7 20 0 1"), "LOW and HIGH of x alone"));
}

TEST_CASE("two fields are selected by one command", "[brush][commands]") {
  Desk desk;
  desk.run("select_values Density 1 2 Temperature 1e4 1e6");
  CHECK(desk.state.selection.field == "Density");
  CHECK(desk.state.selection.second_field == "Temperature");
  CHECK(desk.state.selection.second_limits == Limits{1e4, 1e6});
  CHECK(says(desk.fault("select_values Density 1 2 Temperature 3 3"), "LOW must be smaller"));
  CHECK(says(desk.fault("select_values Density 1 2 Temperature 3"), "HIGH"));
}

TEST_CASE("a brush that means no particles is refused in a sentence", "[brush][commands]") {
  Desk desk;
  CHECK(says(desk.fault("brush hierarchy 1 2"),
             "parts of 'hierarchy' are no particles here: take mass_function, phase, profile"));
  CHECK(says(desk.fault("brush phase 2 1"), "X_LOW must be smaller"));
  CHECK(says(desk.fault("brush phase 1 2 3"), "belong together"));
  CHECK(says(desk.fault("brush profile_density 1 2 3 4"), "no field of particles"));
  CHECK(says(desk.fault("brush profile_density -2 -1"), "it is a radius"));
  desk.actions.facts.brushable.clear();
  CHECK(says(desk.fault("brush phase 1 2"), "measure a profile or a phase diagram"));
}

TEST_CASE("a catalog that is not loaded is said to be loaded first", "[commands]") {
  Desk desk;
  desk.state.finding("halos").searched = true;
  CHECK(desk.fault("compare loaded_halos") ==
        "compare: no halos have been loaded: load_halos FILE first");
}

TEST_CASE("one component of a field can be a map", "[commands]") {
  Desk desk;
  haloscope::SnapshotInfo info;
  info.files = {"a.hdf5"};
  haloscope::FieldInfo field;
  field.name = "Velocities";
  field.components = 3;
  info.types[0].fields.push_back(field);
  info.types[0].count = 1;
  desk.actions.facts.info = &info;
  desk.run("map gas velocities[2]");
  CHECK(desk.state.map.field == "Velocities[2]");
  CHECK(desk.fault("map gas Velocities[3]").find("Velocities") != std::string::npos);
}
