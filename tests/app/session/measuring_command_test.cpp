// The commands that measure, as they are given, checked, recorded and kept in states.

#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "core/particles.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>

using namespace haloscope::app::session;
using haloscope::test::FakeActions;
using haloscope::test::message_of;

namespace {

haloscope::SnapshotInfo gas_and_dark() {
  haloscope::SnapshotInfo info;
  info.files = {"snap.hdf5"};
  info.box_size = 100;
  info.periodic = true;
  for (const int type : {0, 1}) {
    haloscope::TypeInfo& one = info.types[type];
    one.name = haloscope::type_name(type);
    one.count = 10;
    one.fields.emplace_back().name = "Coordinates";
    one.roles[haloscope::Role::Position] = "Coordinates";
    if (type > 0) continue;
    for (const char* name : {"Density", "Masses"}) {
      auto& field = one.fields.emplace_back();
      field.name = name;
      field.components = 1;
    }
    one.roles[haloscope::Role::Mass] = "Masses";
  }
  return info;
}

struct Session {
  haloscope::SnapshotInfo info = gas_and_dark();
  State state;
  FakeActions actions;
  Session() { actions.facts.info = &info; }

  void run(const std::string& line) { run_command(line, state, actions); }
  std::string recorded(const std::string& line) {
    const Call call = parse_command(line);
    run_command(call, state, actions);
    return to_text(as_recorded(call, state));
  }
  // A sentence; the state stays.
  std::string fault_of(const std::string& line) {
    const State before = state;
    const std::string fault = message_of([&] { run(line); });
    CHECK(state == before);
    return fault;
  }
};

}  // namespace

TEST_CASE("a profile is about a point, a row, or a structure", "[measuring]") {
  Session session;
  session.run("profile at 1 50% 3 bins=8");
  CHECK(session.state.profile->options.center == "1,50,3");
  CHECK(session.state.profile->options.bins == 8);
  session.run("profile structure=3 catalog=halos.hdf5");
  CHECK(*session.state.profile->options.structure == 3);
  CHECK(session.state.profile->options.center.empty());
  session.run("profile halos 1");
  CHECK(session.state.profile->finder == "halos");
  CHECK(session.state.profile->piece == 1);
  session.run("select halos 0");
  session.run("profile radii=0.5,4");
  CHECK(session.state.profile->piece == 0);
  CHECK(session.state.profile->options.radii == "0.5,4");
  session.run("profile off");
  CHECK_FALSE(session.state.profile);
}

TEST_CASE("recordings say what was measured with every option", "[measuring]") {
  Session session;
  const std::string point = session.recorded("profile at 50% 2 3 types=gas");
  CHECK(point == "profile center=50,2,3 bins=32 types=gas");
  const State before = session.state;
  CHECK(session.recorded(point) == point);
  CHECK(session.state == before);
  session.run("select halos 1");
  CHECK(session.recorded("profile") == "profile halos 1 bins=32");
  CHECK(session.recorded("profile off") == "profile off");
  const std::string phase = session.recorded("phase Density weight=count x_scale=log");
  CHECK(phase == "phase x=Density weight=count x_scale=log");
  CHECK(session.recorded(phase) == phase);
  CHECK(session.recorded("phase off") == "phase off");
}

TEST_CASE("states keep what is measured", "[measuring][state]") {
  Session session;
  session.run("profile halos 1 bins=12 radii=1,20");
  session.run("phase Density Masses bins=20,10 range_x=1,2");
  const ReadState read = parse_state(state_text(session.state), "state.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == session.state);
  CHECK(read.state.profile->options.bins == 12);
  CHECK(read.state.phase->options.y == "Masses");
  session.run("profile off");
  session.run("phase off");
  CHECK(state_text(session.state).find("profile") == std::string::npos);
}

TEST_CASE("what cannot be measured is one sentence and changes nothing", "[measuring]") {
  Session session;
  session.run("profile at 1 2 3");
  session.run("phase Density");
  const auto says = [&](const std::string& line, const std::string& part) {
    const std::string fault = session.fault_of(line);
    INFO(line << ": " << fault);
    CHECK(fault.find(part) != std::string::npos);
  };
  says("profile", "select a halo, or write `halos N` or `at X Y Z`");
  says("profile halos 7", "there is no halo 7");
  says("profile halos x", "'x' is no number of a halo");
  says("profile at 1 2", "followed by three lengths");
  says("profile at 1 2 km", "'km' is not a length");
  says("profile nowhere", "'nowhere' is neither");
  says("profile halos 1 center=1,2,3", "both tell the center");
  says("profile at 1 2 3 bins=0", "bins must be 1 or more");
  says("profile at 1 2 3 radii=4,2", "radii");
  says("profile at 1 2 3 types=stars", "no particles of type 4");
  says("phase Densty", "did you mean Density?");
  says("phase Density Masses Density", "'Density' is no option");
  says("phase y=Density", "y needs x");
  session.actions.facts.open = false;
  CHECK(session.fault_of("phase Density").find("no snapshot is open") != std::string::npos);
  CHECK(session.fault_of("profile at 1 2 3").find("no snapshot is open") != std::string::npos);
}

TEST_CASE("plots of measurements are written by their names", "[measuring]") {
  Session session;
  session.run("export_plot profile_density p.csv");
  session.run("export_plot phase h.svg");
  CHECK(session.actions.asked ==
        std::vector<std::string>{"plot profile_density p.csv", "plot phase h.svg"});
  session.actions.facts.plots = {"mass_function"};
  session.run("shelf plots profile_density");
  CHECK(session.state.layout.plot == "profile_density");
}

TEST_CASE("a measurement is stopped by its name", "[measuring]") {
  Session session;
  session.run("cancel profile");
  session.run("cancel phase");
  CHECK(session.actions.asked == std::vector<std::string>{"cancel profile", "cancel phase"});
}
