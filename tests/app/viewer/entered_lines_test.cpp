#include "app/viewer/line_history.h"
#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/environment.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <string>
#include <vector>

// Lines that are entered in the line for commands: what came of them stands beside it, and they are
// there again in the next session.

namespace haloscope::app::viewer {

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a line that is refused says so beside the line, and not over the picture as well",
          "[window][command]") {
  Viewer viewer({}, [] {});
  viewer.toggle_panel("commands");
  viewer.update(1);
  viewer.enter("orbti 1 2");
  viewer.update(2);
  const auto input = viewer.panel_input(1);
  REQUIRE(input.line.entered);
  REQUIRE(input.line.entered->size() == 1);
  const EnteredLine& entered = input.line.entered->front();
  CHECK(entered.line == "orbti 1 2");
  CHECK_FALSE(entered.runs);
  REQUIRE(entered.told.size() == 1);
  CHECK(entered.told[0].warning);
  CHECK(entered.told[0].text == "there is no command 'orbti'; did you mean 'orbit'?");
  CHECK(input.notice.empty());
  CHECK(input.log.size() == 1);
  // What a key does has no line.
  viewer.push("orbti 1 2");
  viewer.update(3);
  CHECK_FALSE(viewer.panel_input(1).notice.empty());
  CHECK(viewer.panel_input(1).line.entered->front().told.size() == 1);
}

TEST_CASE("a line runs until its job is done, and shows what that says", "[window][command]") {
  render::RenderRequest base;
  base.compute.device = "cpu";
  Doorbell bell;
  Viewer viewer(base, [&] { bell.ring(); });
  viewer.set_picture_size(64, 48);
  viewer.update(1);
  const auto entered = [&]() -> const EnteredLine& {
    return viewer.panel_input(1).line.entered->back();
  };
  double now = 2;
  const auto run = [&](const std::string& line) {
    viewer.enter(line);
    viewer.update(now);
    for (int k = 0; k < 600 && !viewer.settled(); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      viewer.update(now += 1);  // a camera that glides arrives
    }
    REQUIRE(viewer.settled());
  };
  viewer.enter("open " + test::sample_file());
  viewer.update(2);
  CHECK(entered().runs);
  run("wait");
  run("fit");
  CHECK_FALSE(entered().runs);
  CHECK(entered().told.empty());
  run("find halos min_members=100");
  CHECK_FALSE(entered().runs);
  REQUIRE_FALSE(entered().told.empty());
  CHECK(entered().told.back().text.find(" halos") != std::string::npos);
  CHECK(viewer.panel_input(1).line.entered->size() == 4);
}

TEST_CASE("lines that were entered are kept in the user's settings", "[window][command]") {
  const test::OutputFolder folder;
  const test::Variable settings("XDG_CONFIG_HOME", folder.path("config"));
  CHECK(load_history().empty());
  keep_in_history("fit");
  keep_in_history("fit");
  keep_in_history("orbit 1 2");
  keep_in_history("  ");
  CHECK(load_history() == Lines{"fit", "orbit 1 2"});
  for (int k = 0; k < 600; ++k) keep_in_history("orbit 1 " + std::to_string(k));
  CHECK(load_history().size() == 500);
  CHECK(load_history().back() == "orbit 1 599");
  forget_history();
  CHECK(load_history().empty());
}

TEST_CASE("a session tells who keeps its history each line that is entered", "[window][command]") {
  Viewer viewer({}, [] {});
  Lines kept;
  viewer.set_history({"fit"}, [&](const std::string& line) { kept.push_back(line); });
  viewer.update(1);
  viewer.enter("wait");
  viewer.enter("wait");
  viewer.push("wait");
  viewer.update(2);
  CHECK(kept == Lines{"wait"});
  CHECK(viewer.panel_input(1).line.history == Lines{"fit", "wait"});
}

}  // namespace haloscope::app::viewer
