#include "app/session/history.h"

#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <fmt/format.h>

// Steps of undo and redo, without a window.

using namespace haloscope::app::session;
using haloscope::test::FakeActions;

namespace {

// A session of commands at times, with its history.
class Session {
 public:
  Session() {
    state.snapshots = {"a.hdf5", "b.hdf5"};
    state.camera = Camera{};
  }
  State state;
  History history;
  FakeActions actions;

  void run(const std::string& line, double seconds = 0) {
    const Call call = parse_command(line);
    const State before = state;
    run_command(call, state, actions);
    history.note(call, before, state, seconds);
  }
  // What was undone; empty: nothing.
  std::string undo() { return go(history.undo(state)); }
  std::string redo() { return go(history.redo(state)); }

 private:
  std::string go(const std::optional<History::Step>& step) {
    if (!step) return {};
    state = step->state;
    return step->words;
  }
};

}  // namespace

TEST_CASE("undo and redo go back and forth through what commands have changed", "[history]") {
  Session session;
  const State first = session.state;
  CHECK(session.undo().empty());
  session.run("color_map gas viridis");
  const State colored = session.state;
  session.run("exposure 1");
  session.run("exposure 2");
  session.run("exposure 2");  // nothing new
  session.run("wait");
  session.run("screenshot a.png");
  const State last = session.state;
  CHECK(session.history.steps() == 3);
  CHECK(session.undo() == "exposure 2");
  CHECK(session.state.tone.exposure_ev == 1);
  CHECK(session.undo() == "exposure 1");
  CHECK(session.state == colored);
  CHECK(session.undo() == "color_map gas viridis");
  CHECK(session.state == first);
  CHECK(session.undo().empty());
  CHECK(session.redo() == "color_map gas viridis");
  CHECK(session.state == colored);
  CHECK(session.redo() == "exposure 1");
  CHECK(session.redo() == "exposure 2");
  CHECK(session.state == last);
  CHECK(session.redo().empty());
  // A new step ends what could be done again.
  session.undo();
  session.run("gamma 2");
  CHECK(session.redo().empty());
  CHECK(session.undo() == "gamma 2");
  CHECK(session.state.tone.exposure_ev == 1);
}

TEST_CASE("a motion of the camera between two rests is one step", "[history]") {
  Session session;
  const Camera first = *session.state.camera;
  double now = 10;
  for (int k = 0; k < 50; ++k) session.run("orbit 1 0.5", now += History::kRest);
  session.run("zoom 1.1", now += 0.02);
  const Camera turned = *session.state.camera;
  session.run("orbit 1 0.5", now += 1.01 * History::kRest);
  session.run("pan 0.1 0", now += 0.02);
  CHECK(session.history.steps() == 2);
  CHECK(session.undo() == "orbit, pan");
  CHECK(*session.state.camera == turned);
  CHECK(session.undo() == "orbit, zoom");
  CHECK(*session.state.camera == first);
  // What goes on after an undo is another motion.
  CHECK(session.redo() == "orbit, zoom");
  session.run("orbit 1 0", now);
  CHECK(session.undo() == "orbit");
  CHECK(*session.state.camera == turned);
  // A command between two moves is a rest, also one that changes nothing.
  for (const char* const between : {"wait", "screenshot a.png", "exposure 3"}) {
    INFO(between);
    session.run("orbit 1 0", now);
    const Camera there = *session.state.camera;
    session.run(between, now);
    session.run("orbit 1 0", now);
    CHECK(session.undo() == "orbit");
    CHECK(*session.state.camera == there);
  }
}

TEST_CASE("what is done while the mouse is held is one step", "[history]") {
  Session session;
  const State first = session.state;
  session.history.one_step(true);
  for (int k = 1; k < 9; ++k) session.run(fmt::format("limits gas {} 1e6", k), 5 * k);
  session.run("wait", 50);
  session.run("limits gas 9 1e6", 60);
  session.history.one_step(false);
  session.run("limits gas 10 1e6", 60);
  CHECK(session.history.steps() == 2);
  CHECK(session.undo() == "limits gas 10 1000000");
  CHECK(session.undo() == "limits gas 9 1000000");
  CHECK(session.state == first);
  // A drag that goes on after an undo is a new step, and so is the next drag.
  session.history.one_step(true);
  session.run("exposure 1");
  session.run("exposure 2");
  session.undo();
  session.run("exposure 3");
  session.run("exposure 4");
  session.history.one_step(true);
  session.run("exposure 5");
  CHECK(session.history.steps() == 2);
  session.undo();
  CHECK(session.state.tone.exposure_ev == 4);
  session.undo();
  CHECK(session.state == first);
  // A recording that broke off in a drag holds nobody.
  session.history.one_step(true);
  session.history.rest();
  session.run("exposure 1");
  session.run("exposure 2");
  CHECK(session.history.steps() == 2);
}

TEST_CASE("the last two hundred steps can be undone", "[history]") {
  Session session;
  for (int k = 1; k <= 230; ++k) session.run(fmt::format("exposure {}", 0.1 * k));
  std::size_t undone = 0;
  while (!session.undo().empty()) ++undone;
  CHECK(undone == 200);
  CHECK(session.state.tone.exposure_ev == Approx(3));
  std::size_t redone = 0;
  while (!session.redo().empty()) ++redone;
  CHECK(redone == 200);
  CHECK(session.state.tone.exposure_ev == Approx(23));
}

TEST_CASE("undo leaves the window and the snapshot that is shown as they are", "[history]") {
  Session session;
  session.run("exposure 1");
  session.run("size 640 480");
  session.run("ui_scale 2");
  session.run("shelf plots");
  session.history.one_step(true);
  for (const char* const line : {"shelf_height 0.3", "shelf_height 0.5"}) session.run(line);
  session.history.one_step(false);
  session.run("next_snapshot");
  CHECK(session.history.steps() == 1);
  CHECK(session.undo() == "exposure 1");
  CHECK(session.state.tone.exposure_ev == 0);
  CHECK(session.state.width == 640);
  CHECK(session.state.ui_scale == 2);
  CHECK(session.state.layout.shows_shelf());
  CHECK(session.state.current == 1);
}

TEST_CASE("a snapshot that was chosen by its number is a step of undo", "[history]") {
  Session session;
  session.state.snapshots = {"a.hdf5", "b.hdf5", "c.hdf5"};
  session.run("exposure 1");
  session.run("show_snapshot 2");
  session.run("exposure 2");
  session.run("previous_snapshot");
  CHECK(session.history.steps() == 3);
  // Steps of other kinds leave the snapshot as it is.
  CHECK(session.undo() == "exposure 2");
  CHECK(session.state.current == 1);
  CHECK(session.undo() == "show_snapshot 2");
  CHECK(session.state.current == 0);
  CHECK(session.state.tone.exposure_ev == 1);
  CHECK(session.undo() == "exposure 1");
  CHECK(session.state.current == 0);
  session.redo();
  session.redo();
  CHECK(session.state.current == 1);
  // Dragged along the series it is one step.
  session.history.one_step(true);
  for (const char* const line : {"show_snapshot 0", "show_snapshot 1", "show_snapshot 2"})
    session.run(line);
  session.history.one_step(false);
  CHECK(session.undo() == "show_snapshot 2");
  CHECK(session.state.current == 1);
  // The one that is shown already is no step.
  const auto steps = session.history.steps();
  session.run("show_snapshot 1");
  CHECK(session.history.steps() == steps);
}

TEST_CASE("steps in other files are out of reach until these are open again", "[history]") {
  Session session;
  session.run("exposure 1");
  session.run("exposure 2");
  session.undo();
  session.run("open other.hdf5");
  CHECK(session.redo().empty());
  CHECK(session.undo().empty());
  session.run("gamma 2");
  CHECK(session.undo() == "gamma 2");
  CHECK(session.undo().empty());
  CHECK(session.state.snapshot() == "other.hdf5");
  session.run("open a.hdf5 b.hdf5");
  CHECK(session.undo() == "exposure 1");
  CHECK(session.state.tone.exposure_ev == 0);
  // Asked for from here on, the same files once more are a step: they bring the first view.
  session.run("exposure 3");
  session.run("open a.hdf5 b.hdf5");
  CHECK_FALSE(session.state.camera);
  CHECK(session.undo() == "open a.hdf5 b.hdf5");
  CHECK(session.state.camera);
}

TEST_CASE("what was undone is one short line", "[history]") {
  Session session;
  session.run("ruler 4464.212914924614 512.3360741238 77.5 1 2 3");
  CHECK(session.undo() == "ruler");
  session.run("ruler 1 2 3 4464.212914924614 5 6");
  CHECK(session.undo() == "ruler 1 2 3 …");
  std::string lasso = "select_lasso";
  for (int k = 0; k < 40; ++k) lasso += fmt::format(" {:.17g} {:.17g}", 0.01 * k, k % 7 / 3.);
  session.run(lasso);
  CHECK(session.undo().starts_with("select_lasso"));
  session.redo();
  CHECK(session.undo().size() <= 51);
  session.run("bookmark \"the second of the two clusters that merge at the end of it all\"");
  CHECK(session.undo() == "bookmark");
  session.history.one_step(true);
  session.run("color_map gas viridis");
  session.run("limits gas 100 1000000");
  session.run("gamma 2");
  session.history.one_step(false);
  CHECK(session.undo() == "color_map gas viridis, limits gas 100 1000000, …");
}

TEST_CASE("undo and redo are commands with keys", "[history]") {
  FakeActions actions;
  State state;
  for (const char* const line : {"undo", "redo", "one_step on", "one_step off"})
    run_command(line, state, actions);
  CHECK(actions.asked == std::vector<std::string>{"undo", "redo", "one step", "one step off"});
  CHECK(line_for_key("Ctrl+Z") == "undo");
  CHECK(line_for_key("Ctrl+Shift+Z") == "redo");
  CHECK(line_for_key("Ctrl+Y") == "redo");
  CHECK(parse_command("undo").command->no_step);
}
