#include "app/session/state_file.h"
#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

// Undo and redo in a session: halos are hidden and shown again, drags are one step, and recordings
// hold it all.

namespace haloscope::app::viewer {

namespace {

std::string sample() {
  return test::sample_file();
}

// A session that somebody watches, by a clock that the test sets.
class Watched {
 public:
  Watched() {
    base.compute.device = "cpu";
    viewer = std::make_unique<Viewer>(base, [this] { bell.ring(); });
    viewer->set_picture_size(64, 48);
  }
  ~Watched() { viewer->stop(); }

  // In one frame.
  void frame(const std::string& line = {}) {
    if (!line.empty()) viewer->push(line);
    viewer->update(now += 0.01);
  }
  void settle() {
    for (int k = 0; k < 1200 && !(viewer->settled() && !viewer->animating(now)); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      frame();
    }
    REQUIRE(viewer->settled());
  }
  void run(const std::string& line) {
    frame(line);
    settle();
  }
  bool halos_shown() { return viewer->panel_input(1).finding != nullptr; }
  bool searching() { return viewer->panel_input(1).jobs[session::JobKind::Find].busy; }
  std::string notice() { return viewer->panel_input(1).notice; }
  bool said(const std::string& words) {
    const auto input = viewer->panel_input(1);
    return std::any_of(input.log.begin(), input.log.end(), [&](const LogLine& line) {
      return line.text.find(words) != std::string::npos;
    });
  }

  render::RenderRequest base;
  Doorbell bell;
  double now = 1;
  std::unique_ptr<Viewer> viewer;
};

}  // namespace

TEST_CASE("undoing a search hides its halos, and redo shows them without a search",
          "[window][history]") {
  Watched session;
  session.run("open " + sample());
  session.run("color_by_halo on");
  session.run("find_halos 0.2 32 2");
  REQUIRE(session.halos_shown());
  const auto found = session.viewer->panel_input(1).finding;
  session.run("select_halo 1");
  session.frame("undo");
  CHECK(session.notice() == "undone: select_halo 1");
  CHECK(session.halos_shown());
  session.frame("undo");
  CHECK(session.notice() == "undone: find_halos 0.2 32 2");
  CHECK_FALSE(session.halos_shown());
  CHECK_FALSE(session.viewer->state().finding("halos").searched);
  session.frame("redo");
  CHECK_FALSE(session.searching());
  CHECK(session.notice() == "done again: find_halos 0.2 32 2");
  CHECK(session.viewer->panel_input(1).finding == found);
  CHECK(session.viewer->state().finding("halos").searched);
  session.frame("redo");
  CHECK(session.viewer->state().finding("halos").selected == 1u);
  session.frame("undo");
  session.frame("undo");
  // Not when the file is read again for another field either.
  session.run("field gas Density");
  CHECK_FALSE(session.halos_shown());
  session.run("undo");
  CHECK(session.viewer->state().type(0).field.empty());
  CHECK_FALSE(session.halos_shown());
  session.frame("undo");
  CHECK(session.notice() == "undone: color_by_halo on");
}

TEST_CASE("a search that is undone while it goes on shows nothing, and is there for redo",
          "[window][history]") {
  Watched session;
  session.run("open " + sample());
  session.frame("find_halos 0.2 32 2");
  session.frame("undo");
  session.settle();
  CHECK_FALSE(session.halos_shown());
  session.frame("redo");
  CHECK_FALSE(session.searching());
  CHECK(session.halos_shown());
  session.frame("undo");
  session.frame("undo");
  CHECK(session.notice().find("no step to undo") != std::string::npos);
}

TEST_CASE("a drag with pauses is one step, and is recorded as one", "[window][history]") {
  const test::OutputFolder folder;
  Watched session;
  session.run("open " + sample());
  session.viewer->record(folder.path("session.txt"));
  const auto first = session.viewer->state();
  session.viewer->set_held(true);
  session.frame();
  for (int k = 0; k < 4; ++k) {
    session.frame("orbit 10 5");
    session.now += 3;
  }
  session.viewer->set_held(false);
  session.frame();
  session.frame("exposure 1");
  // A click that does nothing is not told.
  session.viewer->set_held(true);
  session.frame();
  session.viewer->set_held(false);
  session.frame("exposure 2");
  session.frame("undo");
  session.frame("undo");
  session.frame("undo");
  CHECK(session.notice() == "undone: orbit");
  CHECK(session.viewer->state() == first);
  std::vector<std::string> names;
  for (const auto& recorded : session::read_recording(folder.path("session.txt")))
    names.push_back(session::to_text(recorded.call));
  CHECK(names == std::vector<std::string>{"one_step on", "orbit 10 5", "orbit 10 5", "orbit 10 5",
                                          "orbit 10 5", "one_step off", "exposure 1", "exposure 2",
                                          "undo", "undo", "undo"});
}

TEST_CASE("undo shows the snapshot again from which another was chosen by its number",
          "[window][history]") {
  const test::OutputFolder folder;
  for (const char* const name : {"a.hdf5", "b.hdf5"})
    std::filesystem::copy_file(sample(), folder.path(name));
  Watched session;
  session.run("open " + folder.path("a.hdf5") + " " + folder.path("b.hdf5"));
  session.run("find_halos 0.2 32 2");
  const auto shown = [&] { return session.viewer->panel_input(1).scene->path; };
  session.run("show_snapshot 1");
  REQUIRE(shown() == folder.path("b.hdf5"));
  CHECK_FALSE(session.halos_shown());
  session.run("undo");
  CHECK(session.viewer->state().current == 0);
  CHECK(shown() == folder.path("a.hdf5"));
  CHECK(session.halos_shown());
  session.run("redo");
  CHECK(shown() == folder.path("b.hdf5"));
  // Where it cannot be read any more, what is there stays.
  std::filesystem::remove(folder.path("a.hdf5"));
  session.run("undo");
  CHECK(session.viewer->state().current == 1);
  CHECK(shown() == folder.path("b.hdf5"));
}

TEST_CASE("a recording with undo and redo shows the same state and pixels", "[window][history]") {
  const test::OutputFolder folder;
  session::State seen;
  {
    Watched session;
    session.viewer->record(folder.path("session.txt"));
    session.run("size 64 48");
    session.run("layout present");
    session.run("open " + sample());
    session.run("color_map gas viridis");
    for (int k = 0; k < 5; ++k) session.frame("orbit 7 3");
    session.now += 0.6;
    for (int k = 0; k < 5; ++k) session.frame("zoom 1.1");
    session.viewer->set_held(true);
    for (int k = 0; k < 5; ++k) session.frame("limits gas 1e" + std::to_string(k) + " 1e7");
    session.viewer->set_held(false);
    session.run("find_halos 0.2 32 2");
    session.run("color_by_halo on");
    for (int k = 0; k < 2; ++k) session.frame("undo");
    session.frame("redo");
    // The halos, the limits and the zoom; the turn before it stays.
    for (int k = 0; k < 3; ++k) session.frame("undo");
    CHECK(session.notice() == "undone: zoom");
    session.run("exposure 1");
    session.run("undo");
    session.run("redo");
    session.run("undo");
    session.run("gamma 1.5");
    session.run("screenshot " + folder.path("live.png") + " bare 64x48");
    for (int k = 0; k < 1200 && !session.viewer->idle(); ++k) {
      session.bell.wait(std::chrono::milliseconds(50));
      session.frame();
    }
    session.run("save_state " + folder.path("live.toml"));
    seen = session.viewer->state();
    CHECK(seen.type(0).color_map == "viridis");
    CHECK_FALSE(seen.type(0).limits);
    CHECK_FALSE(seen.finding("halos").searched);
  }
  // Into other files.
  const std::string live_picture = test::file_bytes(folder.path("live.png"));
  const std::string live_state = test::file_bytes(folder.path("live.toml"));
  for (const char* const name : {"live.png", "live.toml"})
    std::filesystem::remove(folder.path(name));
  const auto outcome = test::run_program(
      {"view", "--headless", "--device", "cpu", "--replay", folder.path("session.txt")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(test::file_bytes(folder.path("live.toml")) == live_state);
  const bool same_pixels = test::file_bytes(folder.path("live.png")) == live_picture;
  CHECK(same_pixels);
}

TEST_CASE("what was written is told for four seconds", "[window][history]") {
  const test::OutputFolder folder;
  Watched session;
  session.run("open " + sample());
  const auto write = [&](const std::string& line) {
    session.viewer->end_notice();
    session.frame(line);
    for (int k = 0; k < 1200 && !session.viewer->idle(); ++k) {
      session.bell.wait(std::chrono::milliseconds(50));
      session.frame();
    }
    return session.notice();
  };
  const auto path = [&](const char* name) { return folder.path(name); };
  CHECK(write("screenshot " + path("a.png") + " bare 80x60") ==
        "Wrote " + path("a.png") + ", 80x60");
  CHECK_FALSE(session.viewer->panel_input(1).notice_is_fault);
  CHECK(session.said("Wrote " + path("a.png")));
  // The window tells the folder, programs the name as it was given.
  std::vector<std::string> said;
  session.viewer->on_said([&](bool, const std::string& text) { said.push_back(text); });
  const std::string near = std::filesystem::relative(path("near.png")).string();
  REQUIRE(near != path("near.png"));
  CHECK(write("screenshot \"" + near + "\" bare 80x60") == "Wrote " + path("near.png") + ", 80x60");
  CHECK(session.said("Wrote " + path("near.png")));
  CHECK(said == std::vector<std::string>{"Wrote " + near + ", 80x60"});
  session.viewer->on_said({});
  write("screenshot " + path("a.png") + " bare 80x60");
  CHECK(*session.viewer->wake_at() <= session.now + 4);
  session.frame();
  session.now += 4;
  session.frame();
  CHECK(session.notice().empty());
  CHECK(write("save_state " + path("a.toml")) == "Wrote " + path("a.toml"));
  write("add_key");
  write("orbit 20 0");
  write("add_key");
  CHECK(write("save_path " + path("p.toml")) == "Wrote " + path("p.toml"));
  CHECK(write("export_frames " + path("f%02d.png") + " 2 2 32x24 off") ==
        "Wrote " + path("f%02d.png") + ", 2 frames of 32x24");
  CHECK(write("find_halos 0.2 32 2").empty());
  CHECK(write("export_halos " + path("h.csv")) == "Wrote " + path("h.csv"));
  write("select_sphere 50% 50% 50% 10%");
  CHECK(write("export_selection " + path("s.hdf5")) == "Wrote " + path("s.hdf5"));
}

}  // namespace haloscope::app::viewer
