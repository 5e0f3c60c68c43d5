#include "analysis/halos/halo_options.h"
#include "app/session/camera_motion.h"
#include "app/session/completion.h"
#include "app/session/recording.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cmath>
#include <fstream>
#include <set>

// The table of commands, and what is recorded of a session.

using namespace haloscope::app::session;
using haloscope::test::FakeActions;
using haloscope::test::OutputFolder;

namespace {

std::string fault_of(const std::string& line) {
  State state;
  FakeActions actions;
  try {
    run_command(line, state, actions);
  } catch (const haloscope::Error& error) {
    CHECK(state == State{});
    return error.what();
  }
  return "no fault";
}

State after(const std::vector<std::string>& lines) {
  State state;
  FakeActions actions;
  for (const auto& line : lines) run_command(line, state, actions);
  return state;
}

}  // namespace

TEST_CASE("every command says what it does and no key has two meanings") {
  std::set<std::string> names, keys;
  for (const auto& command : command_table()) {
    CHECK(names.insert(command.name).second);
    CHECK(!command.help.empty());
    CHECK(!command.group.empty());
    for (const auto& binding : command.bindings) {
      INFO(command.name << " " << binding.key);
      CHECK(keys.insert(binding.key).second);
      if (!binding.mouse) CHECK_NOTHROW(parse_command(*line_for_key(binding.key)));
    }
  }
  for (const char* key : {"Home", "H", "F", "R", "M", "Shift+M", "L", "F12", "Ctrl+F12", "Right",
                          "Left", "Space", "Ctrl+C", "Ctrl+V", "F1", "?", "`", "F10", "O"})
    CHECK(line_for_key(key));
  // Tab goes to the next field; there are five looks.
  for (const char* key : {"Tab", "6"}) CHECK_FALSE(line_for_key(key));
}

TEST_CASE("a key for colors changes one type, and with Alt all, which is told") {
  CHECK(line_for_key("Shift+Right") == "orbit 3 0");
  CHECK(line_for_key("Alt+Up") == "pan 0 0.02");
  CHECK(line_for_key("M", "gas") == "next_color_map 1 gas");
  CHECK(line_for_key("Shift+M", "dm") == "next_color_map -1 dm");
  CHECK(line_for_key("L", "gas") == "scale gas toggle");
  CHECK(line_for_key("R", "6") == "auto_limits 6");
  CHECK(line_for_key("Alt+M", "gas") == "next_color_map 1 all");
  CHECK(line_for_key("Alt+Shift+M", "gas") == "next_color_map -1 all");
  CHECK(line_for_key("Alt+L", "gas") == "scale all toggle");
  CHECK(line_for_key("Alt+R", "gas") == "auto_limits all");
  State state;
  FakeActions actions;
  actions.facts.scales = {{0, Transform::Log}, {1, Transform::Linear}, {4, Transform::Log}};
  for (const char* line : {"next_color_map 1 gas", "scale gas toggle", "limits all 1 2"})
    run_command(line, state, actions);
  CHECK_FALSE(state.type(0).color_map.empty());
  CHECK(state.type(1).color_map.empty());
  CHECK(state.type(0).scale == Transform::Linear);
  CHECK_FALSE(state.type(1).scale);
  for (const char* line : {"auto_limits gas", "auto_limits", "scale all toggle"})
    run_command(line, state, actions);
  CHECK_FALSE(state.type(0).limits);
  REQUIRE(actions.announced.size() == 5);
  CHECK(actions.announced[0] == "Color map of gas: " + state.type(0).color_map);
  CHECK(actions.announced[1] == "Scale of gas: linear");
  CHECK(actions.announced[2] == "Limits of gas from the data");
  CHECK(actions.announced[3] == "Limits of all types from the data");
  CHECK(actions.announced[4] == "Scale of gas: logarithmic, of dm: logarithmic, of stars: linear");
}

TEST_CASE("a mistyped command gets one sentence with the nearest name") {
  CHECK(fault_of("orbti 1 2") == "there is no command 'orbti'; did you mean 'orbit'?");
  CHECK(fault_of("orbit 1") == "orbit: PITCH is missing; usage: orbit YAW PITCH");
  CHECK(fault_of("orbit 1 x") == "orbit: PITCH 'x' is not a number; usage: orbit YAW PITCH");
  CHECK(fault_of("orbit 1 nan").find("not a number") != std::string::npos);
  CHECK(fault_of("orbit 1 2 3").find("'3' is one argument too many") != std::string::npos);
  CHECK(fault_of("overlay colour_bar") ==
        "overlay: NAME 'colour_bar' is unknown; did you mean 'color_bar'?");
  CHECK(fault_of("field gas Temprature").find("did you mean 'Temperature'?") != std::string::npos);
  CHECK(fault_of("delete_key 1.5").find("whole number") != std::string::npos);
  CHECK(fault_of("open \"a").find("quotes") != std::string::npos);
  CHECK(fault_of("").find("no command") != std::string::npos);
  CHECK(fault_of("limits all 3 2") ==
        "limits: the lower limit of all types must be smaller than the upper one, but 3 is not "
        "smaller than 2");
  CHECK(fault_of("show bh").find("no particles") != std::string::npos);
  CHECK(fault_of("zoom 0").find("greater than 0") != std::string::npos);
  CHECK(fault_of("fly_to_halo 7") == "fly_to_halo: there is no halo 7: there are 2, from 0 on");
  CHECK(fault_of("export_frames f.mp4").find("two keys") != std::string::npos);
}

TEST_CASE("members are selected and followed by one command") {
  CHECK_FALSE(after({"select_members 1"}).selection.follow_ids);
  const State followed = after({"select_members 1 followed"});
  CHECK(followed.selection.follow_ids);
  CHECK(followed.selection.piece == 1);
  CHECK(fault_of("select_members 1 folowed").find("did you mean 'followed'?") != std::string::npos);
}

TEST_CASE("a legend calls members by their piece, and sets by their names") {
  const auto legend = [](const State& state) { return shown_name(sets_of(state).front(), state); };
  CHECK(legend(after({"select_members 1"})) == "members of halo 1");
  // Of one snapshot alone nothing is followed.
  CHECK(legend(after({"select_members 1 followed"})) == "members of halo 1");
  CHECK(legend(after({"open a.hdf5 b.hdf5", "select_members 1 followed"})) ==
        "members of halo 1, followed");
  CHECK(legend(after({"select_box 0 0 0 1 1 1"})) == "selected");
  CHECK(legend(after({"select_members 1", "set first"})) == "first");
}

TEST_CASE("a saved state is opened as other files are") {
  const OutputFolder folder;
  const std::string path = folder.path("s.toml");
  State kept = after({"open a.hdf5 b.hdf5", "show_snapshot 1", "exposure 2"});
  save_state(kept, path);
  const State opened = after({"open c.hdf5", "open \"" + path + "\""}),
              loaded = after({"open c.hdf5", "load_state \"" + path + "\""});
  CHECK(opened == loaded);
  CHECK(opened.current == 1);
  CHECK(opened.snapshots.size() == 2);
  CHECK(fault_of("open a.hdf5 S.TOML")
            .find("S.TOML: a saved state opens alone, for it names its snapshots; open it without "
                  "the other files") != std::string::npos);
  CHECK(is_state_file(path));
  // What is no state is told, and changes nothing.
  std::ofstream(path) << "[[key]]\ntime = 0\n";
  CHECK(fault_of("open \"" + path + "\"").find("s.toml") != std::string::npos);
  CHECK_FALSE(is_state_file(path));
}

TEST_CASE("a style may be left out before a size") {
  const Call bare = parse_command("screenshot a.png bare 640x480");
  const Call usual = parse_command("screenshot a.png overlays 640x480 overwrite");
  CHECK(parse_command("screenshot a.png 640x480 overwrite") == usual);
  CHECK(to_text(parse_command("screenshot a.png 640x480")) == "screenshot a.png overlays 640x480");
  CHECK(parse_command("screenshot a.png BARE 640x480") == bare);
  CHECK(fault_of("screenshot a.png 640x480 bare").find("'bare' is one argument too many") !=
        std::string::npos);
  CHECK(fault_of("screenshot a.png 640x").find("STYLE '640x' is unknown") != std::string::npos);
}

TEST_CASE("a call's text parses to the same call") {
  for (const char* line :
       {"orbit 0.1 -1e-300", "zoom 1.1 0.3 -0.2 12.5%", "open \"a b\\\"c\\\\.hdf5\" d.hdf5",
        "overlay axes toggle", "glide_to 1 2 3", "find_halos", "limits 0 0.1 0.30000000000000004",
        "screenshot \"\" bare", "show stars", "wait"}) {
    const Call call = parse_command(line);
    INFO(to_text(call));
    CHECK(parse_command(to_text(call)) == call);
  }
}

TEST_CASE("commands change the state") {
  const State s =
      after({"limits gas 1e4 1e7", "scale gas log", "field 1 localdensity", "exposure 2",
             "overlay axes on", "hide 4", "brightness all 0.5", "glide_to 10% 150 3"});
  CHECK(s.type(0).limits == Limits{1e4, 1e7});
  CHECK(s.type(0).scale == Transform::Log);
  CHECK(s.type(1).field == "LocalDensity");
  CHECK(s.tone.exposure_ev == 2);
  CHECK(s.overlays.axes);
  CHECK(s.type(4).shown == false);
  CHECK(s.type(4).brightness == 0.5);
  CHECK(s.camera->center == Vec{10, 50, 3});  // wrapped into the box
}

TEST_CASE("no motion loses the particles for good") {
  const std::string tiling = GENERATE("on", "off");
  CAPTURE(tiling);
  State state;
  FakeActions actions;
  run_command("tiling " + tiling, state, actions);
  run_command("reset", state, actions);
  if (GENERATE(false, true)) run_command("projection orthographic", state, actions);
  for (const char* line : {"pan 1e19 -0.15", "pan 0 0 1e300", "fly -1e300", "look 180 0",
                           "zoom 1e-300 1e300 0", "orbit 1e300 3", "fly 1e19 1e19 1e19"}) {
    INFO(line);
    try {
      run_command(line, state, actions);
    } catch (const haloscope::Error& error) {
      CHECK(std::string(error.what()).find("where no numbers are") != std::string::npos);
    }
    // Eye and center stay two points of double precision: a view can be made of them.
    const Camera& camera = *state.camera;
    const Vec eye = eye_of(camera);
    const double between =
        std::hypot(eye[0] - camera.center[0], eye[1] - camera.center[1], eye[2] - camera.center[2]);
    CHECK(between == Approx(camera.distance).epsilon(0.05));  // 1e14 rounds at 2 %
  }
}

TEST_CASE("the scale on screen decides what a toggle and limits do, whoever chose it") {
  State state;
  FakeActions actions;
  actions.facts.types = {0, 1};
  actions.facts.scales = {{0, Transform::Log}, {1, Transform::Linear}};
  const auto fault = [&](const std::string& line) {
    const State before = state;
    try {
      run_command(line, state, actions);
    } catch (const haloscope::Error& error) {
      CHECK(state == before);
      return std::string(error.what());
    }
    return std::string();
  };
  run_command("scale all toggle", state, actions);
  CHECK(state.type(0).scale == Transform::Linear);
  CHECK(state.type(1).scale == Transform::Log);
  run_command("scale all auto", state, actions);
  const auto told = [&](const std::string& line) {
    actions.said.clear();
    CHECK(fault(line).empty());
    return actions.said.size() == 1 &&
           actions.said[0].find("the automatic scale of gas is a logarithm") != std::string::npos;
  };
  CHECK(told("limits gas -1 10"));
  CHECK_FALSE(told("limits dm -1 10"));
  CHECK(fault("scale dm log").find("the limits of dm begin at -1") != std::string::npos);
  CHECK_FALSE(told("scale gas linear"));
  CHECK(told("scale gas auto"));
  // Of a field that is being read nobody knows.
  actions.facts.scales.clear();
  CHECK_FALSE(told("scale gas auto"));
  for (const char* line : {"limits gas 1 10", "scale gas log"}) CHECK_FALSE(told(line));
  CHECK(fault("limits gas -1 10").find("the color of gas is logarithmic") != std::string::npos);
}

TEST_CASE("the first view and all that fits are those of the picture, not of the window") {
  State state;
  FakeActions actions;
  actions.facts.picture_size = [](const State& s) { return std::array{s.width - 780, s.height}; };
  const Camera first = first_camera(actions.facts.bounds, state.width - 780, state.height);
  CHECK_FALSE(first == first_camera(actions.facts.bounds, state.width, state.height));
  for (const char* line : {"orbit 5 5", "zoom 3", "reset"}) run_command(line, state, actions);
  CHECK(state.camera == first);
  for (const char* line : {"zoom 3", "fit"}) run_command(line, state, actions);
  CHECK(state.camera->distance == Approx(first.distance));
  // Of the size that was just asked for.
  for (const char* line : {"size 1180 200", "reset"}) run_command(line, state, actions);
  CHECK(state.camera == first_camera(actions.facts.bounds, 400, 200));
}

TEST_CASE("IDs are followed by every selection until that is turned off") {
  State state;
  FakeActions actions;
  for (const char* line :
       {"select_box 1 1 1 2 2 2", "follow_ids on", "select_none", "select_sphere 5 5 5 1"})
    run_command(line, state, actions);
  CHECK(state.selection.kind == SelectionKind::Sphere);
  CHECK(state.selection.follow_ids);
  for (const char* line : {"follow_ids off", "select_value Density 1 2"})
    run_command(line, state, actions);
  CHECK_FALSE(state.selection.follow_ids);
}

TEST_CASE("a box with swapped corners goes over the edge of a periodic box, and of no other") {
  State state;
  FakeActions actions;
  run_command("select_box 90 0 0 10 5 5", state, actions);
  CHECK(state.selection.low[0] == 90);
  CHECK(state.selection.high[0] == 10);
  actions.facts.periodic = false;
  CHECK_THROWS_WITH(run_command("select_box 80 0 0 10 5 5", state, actions),
                    Catch::Matchers::Contains("the box is empty"));
  CHECK(state.selection.low[0] == 90);
}

TEST_CASE("the path's keys stay in order") {
  State s = after({"add_key", "add_key 4", "add_key 2", "exposure 1", "add_key 4", "move_key 1 3"});
  REQUIRE(s.path.size() == 3);
  CHECK(s.path[0].seconds == 2);
  CHECK(s.path[1].seconds == 3);
  CHECK(s.path[2].exposure_ev == 1);
  FakeActions actions;
  CHECK_THROWS_AS(run_command("move_key 1 3", s, actions), haloscope::Error);
  CHECK(s.path.size() == 3);
  for (const char* line : {"add_key 1e300", "add_key -5", "move_key 1 1000001", "move_key 1 -1"})
    CHECK_THROWS_WITH(run_command(line, s, actions),
                      Catch::Matchers::Contains("between 0 and 1e6"));
  run_command("delete_key 2", s, actions);
  CHECK(s.path.size() == 2);
}

TEST_CASE("a key that takes another one's place says so") {
  State s = after({"add_key", "add_key 4.5"});
  FakeActions actions;
  run_command("add_key 2", s, actions);
  CHECK(actions.announced.empty());
  run_command("add_key 4.5", s, actions);
  CHECK(s.path.size() == 3);
  CHECK(actions.announced ==
        std::vector<std::string>{"key 3 at 4.5 s was replaced by this camera"});
}

TEST_CASE("a bookmark has a name") {
  State s = after({"bookmark far"});
  FakeActions actions;
  for (const char* const line : {"bookmark \"\"", "bookmark \"  \""})
    CHECK_THROWS_WITH(run_command(line, s, actions),
                      "bookmark: a bookmark needs a name of one letter or more");
  CHECK(s.bookmarks.size() == 1);
}

TEST_CASE("a moment of the path is shown: camera, exposure, and limits in the color's scale") {
  State state;
  FakeActions actions;
  actions.facts.types = {0};
  actions.facts.scales = {{0, Transform::Log}};
  for (const char* line : {"limits gas 1e3 1e5", "add_key 0", "exposure 2", "limits gas 1e5 1e7",
                           "orbit 40 0", "add_key 4"})
    run_command(line, state, actions);
  const State at_end = state;
  run_command("go_to_time 99", state, actions);
  CHECK(actions.head == 4);
  run_command("go_to_key 1", state, actions);
  CHECK(actions.head == 0);
  state = at_end;
  run_command("go_to_time 2", state, actions);
  CHECK(actions.head == 2);
  CHECK(state.tone.exposure_ev == Approx(1));
  CHECK((*state.types[0].limits)[0] == Approx(1e4));
  CHECK((*state.types[0].limits)[1] == Approx(1e6));
  CHECK_FALSE(state.camera == at_end.camera);
  CHECK(state.current == at_end.current);
  // At a key, that key to the bit; beyond the last one it stays.
  run_command("go_to_time 4", state, actions);
  CHECK(state == at_end);
  run_command("go_to_time 9", state, actions);
  CHECK(state.tone.exposure_ev == 2);
  run_command("go_to_key 1", state, actions);
  CHECK((*state.types[0].limits)[0] == 1e3);
  // As in a film, the camera goes along with the set that is followed.
  actions.followed = haloscope::Vec{1, 2, 3};
  run_command("go_to_key 1", state, actions);
  CHECK(state.camera->center == haloscope::Vec{1, 2, 3});
  run_command("go_to_time 2", state, actions);
  CHECK(state.camera->center == haloscope::Vec{1, 2, 3});
  CHECK(fault_of("go_to_time 1") == "go_to_time: the path has no keys");
}

TEST_CASE("the path goes through its file") {
  const OutputFolder folder;
  State s = after({"orbit 20 30", "add_key", "zoom 3 0.1", "limits all 1 2", "add_key 2.5"});
  // Limits of several types are no one's in particular.
  CHECK_FALSE(s.path[1].limits);
  s = after({"orbit 20 30", "add_key", "zoom 3 0.1", "hide dm", "hide stars", "limits all 1 2",
             "add_key 2.5"});
  const auto keys = s.path;
  FakeActions actions;
  run_command("save_path " + folder.path("path.toml"), s, actions);
  run_command("clear_path", s, actions);
  run_command("load_path " + folder.path("path.toml"), s, actions);
  REQUIRE(s.path.size() == 2);
  CHECK(s.path[1].seconds == 2.5);
  CHECK(s.path[1].limits == Limits{1, 2});
  // Eye and target are written: the same but for their rounding.
  CHECK(s.path[1].camera.center == keys[1].camera.center);
  CHECK(s.path[1].camera.distance == Approx(keys[1].camera.distance).epsilon(1e-12));
  CHECK(s.path[0].camera.rotation.x == Approx(keys[0].camera.rotation.x).epsilon(1e-12));
}

TEST_CASE("what needs work is asked for") {
  State state;
  FakeActions actions;
  for (const char* line :
       {"open a b", "next_snapshot", "find_halos 0.15 50", "select_halo 1", "fly_to_halo",
        "export_halos h.csv", "export_plot mass_function m.svg", "screenshot p.png bare", "cancel",
        "cancel count", "cancel export", "cancel halos", "cancel open", "quit"})
    run_command(line, state, actions);
  CHECK(actions.asked == std::vector<std::string>{"open a", "open b", "find halos", "glide",
                                                  "halos h.csv", "plot mass_function m.svg",
                                                  "still p.png bare", "cancel", "cancel count",
                                                  "cancel export", "cancel find", "cancel open",
                                                  "quit"});
  CHECK(state.finding("halos").options.as<haloscope::analysis::HaloOptions>().spacings == 0.15);
  CHECK(state.camera->center == Vec{10, 20, 30});
  run_command("copy_view", state, actions);
  State other;
  run_command("paste_view", other, actions);
  CHECK(other.camera == state.camera);
}

TEST_CASE("a session's recording replays to the same state to the bit") {
  const OutputFolder folder;
  const std::string path = folder.path("session.txt");
  State live;
  FakeActions actions;
  {
    Recorder recorder(path, "orbit, drag and zoom");
    FrameCommands frame;
    for (int n = 0; n < 300; ++n) {
      for (int event = 0; event < 1 + n % 4; ++event) {
        frame.push(parse_command("orbit 0.1 0.0333333"));
        if (n % 5 == 0) frame.push(parse_command("zoom 1.03 0.123 -0.2"));
        if (n % 7 == 0) frame.push(parse_command("pan 0.001 1e-5"));
        if (n % 11 == 0) frame.push(parse_command("glide_to 90% 3 4"));
      }
      for (const Call& call : frame.take()) {
        run_command(call, live, actions);
        recorder.record(call, n / 60.);
      }
    }
  }
  State replayed;
  Player player(read_recording(path));
  player.run_due(1, replayed, actions);
  CHECK_FALSE(player.finished());
  CHECK(player.next_seconds() == 61 / 60.);
  player.run_all(replayed, actions);
  CHECK(player.finished());
  CHECK(replayed == live);
}

TEST_CASE("steps of one motion in one frame are one") {
  FrameCommands frame;
  for (const char* line : {"orbit 1 2", "orbit 3 4", "zoom 2 0.1", "zoom 3 0.1", "zoom 2 0.2",
                           "exposure 1", "exposure 1"})
    frame.push(parse_command(line));
  std::string all;
  for (const Call& call : frame.take()) all += to_text(call) + "|";
  CHECK(all == "orbit 4 6|zoom 6 0.1 0 0|zoom 2 0.2 0 0|exposure 1|exposure 1|");
  CHECK(frame.empty());
}

TEST_CASE("a recording's mistakes are told with file and line") {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      parse_recording(text, "r.txt");
    } catch (const haloscope::BadFile& error) {
      return error.what();
    }
    return "no fault";
  };
  CHECK(parse_recording("# title\n\n@1 wait # behind\r\nquit\n", "r").size() == 2);
  CHECK(parse_recording("@1 wait\nquit\n", "r")[1].seconds == 1);
  CHECK(fault("# t\nwiat\n") == "r.txt:2: there is no command 'wiat'; did you mean 'wait'?");
  CHECK(fault("@2 wait\n@1 wait\n").find("r.txt:2: its time 1 is before") == 0);
  CHECK(fault("@x wait\n").find("no time") != std::string::npos);
  State state;
  FakeActions actions;
  Player player(parse_recording("wait\nselect_halo 9\nquit\n", "r.txt"));
  CHECK_THROWS_WITH(player.run_all(state, actions),
                    "r.txt:2: select_halo: there is no halo 9: there are 2, from 0 on");
}

TEST_CASE("a palette completes commands and arguments") {
  const FakeActions actions;
  CHECK(complete("orb", actions.facts).front().text == "orbit");
  CHECK(complete("halo", actions.facts).size() >= 4);
  CHECK(complete("overlay sc", actions.facts).front().text == "overlay scale_bar");
  CHECK(complete("field gas temp", actions.facts).front().text == "field gas Temperature");
  CHECK(complete("nonsense ", actions.facts).empty());
}

TEST_CASE("what a program asks is checked before it is told", "[driving]") {
  State state;
  FakeActions actions;
  run_command("tell camera", state, actions);
  run_command("tell structures peaks", state, actions);
  run_command("tell piece halos 3", state, actions);
  run_command("tell piece", state, actions);
  run_command("tell_value 0.25 -0.5", state, actions);
  CHECK(actions.asked == std::vector<std::string>{"tell camera halos", "tell structures peaks",
                                                  "tell piece halos 3", "tell piece halos",
                                                  "tell value 0.250000 -0.500000"});
  CHECK(state == State{});
  CHECK(fault_of("tell camera halos") == "tell: camera takes no NAME");
  CHECK(fault_of("tell structures halos 3") == "tell: structures takes no number");
  CHECK(fault_of("tell camear").find("camera") != std::string::npos);
}
