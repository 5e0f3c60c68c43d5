#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

// A fault is seen over the picture for a while, and the loop wakes to take it away.

namespace haloscope::app::viewer {

TEST_CASE("a fault is shown for ten seconds, and the next one in its place", "[window]") {
  Viewer viewer({}, [] {});
  viewer.update(1);
  CHECK(viewer.panel_input(1).notice.empty());
  CHECK_FALSE(viewer.wake_at());
  viewer.push("orbti 1 2");
  viewer.update(2);
  CHECK(viewer.panel_input(1).notice.find("did you mean 'orbit'") != std::string::npos);
  REQUIRE(viewer.wake_at());
  CHECK(*viewer.wake_at() == 11);
  viewer.push("fit");
  viewer.update(5);
  CHECK(viewer.panel_input(1).notice.find("no snapshot is open") != std::string::npos);
  CHECK(*viewer.wake_at() == 15);
  viewer.update(14.9);
  CHECK_FALSE(viewer.panel_input(1).notice.empty());
  viewer.update(15);
  CHECK(viewer.panel_input(1).notice.empty());
  CHECK_FALSE(viewer.wake_at());
  // The log keeps them.
  CHECK(viewer.panel_input(1).log.size() == 2);
}

TEST_CASE("a fault goes at a key or a press on it", "[window]") {
  Viewer viewer({}, [] {});
  viewer.update(1);
  const auto fail = [&] {
    viewer.push("fit");
    viewer.update(2);
    REQUIRE_FALSE(viewer.panel_input(1).notice.empty());
  };
  fail();
  viewer.end_notice();
  CHECK(viewer.panel_input(1).notice.empty());
  fail();
  auto input = viewer.panel_input(1);
  input.memory.notice_pressed = true;
  viewer.update(3);
  CHECK(viewer.panel_input(1).notice.empty());
  CHECK_FALSE(viewer.wake_at());
}

TEST_CASE("a page names its box where a command line names the word", "[window][bad]") {
  const test::OutputFolder folder;
  const std::string mine = folder.path("mine.toml");
  test::put_bytes(mine, "\x89PNG, whatever its name says");
  Viewer viewer({}, [] {});
  viewer.update(1);
  viewer.push("save_state \"" + mine + "\"");
  viewer.update(2);
  const std::string by_page = viewer.panel_input(1).notice;
  CHECK(by_page.find("the box \"Replace files of others\"") != std::string::npos);
  CHECK(by_page.find("the word overwrite") == std::string::npos);
  viewer.enter("save_state \"" + mine + "\"");
  viewer.update(3);
  const std::string by_line = viewer.panel_input(1).notice;
  CHECK(by_line.find("the word overwrite at the command's end") != std::string::npos);
  CHECK(by_line.find("the box") == std::string::npos);
}

TEST_CASE("a fault of one snapshot is not shown over the next one, and a deed for four seconds",
          "[window]") {
  const std::string sample = test::sample_file();
  const test::OutputFolder folder;
  const std::string other = folder.path("other.hdf5");
  std::filesystem::copy_file(sample, other);
  render::RenderRequest base;
  base.compute.device = "cpu";
  Doorbell bell;
  Viewer viewer(base, [&] { bell.ring(); });
  viewer.set_picture_size(64, 48);
  double now = 1;
  const auto open = [&](const std::string& path, const std::string& before = {}) {
    viewer.push("open " + path);
    viewer.update(now);
    if (!before.empty()) viewer.push(before);
    for (int k = 0; k < 600 && !viewer.settled(); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      viewer.update(now);
    }
  };
  open(sample);
  viewer.push("select_halo 99");
  viewer.update(now);
  CHECK(viewer.panel_input(1).notice.find("no halos have been found") != std::string::npos);
  open(other);
  CHECK(viewer.panel_input(1).notice.empty());
  // That the next one cannot be read is told over the one that stays.
  open(folder.path("none.hdf5"));
  CHECK(viewer.panel_input(1).notice.find("none.hdf5") != std::string::npos);
  viewer.push("auto_limits gas");
  viewer.update(now);
  const auto input = viewer.panel_input(1);
  CHECK(input.notice == "Limits of gas from the data");
  CHECK_FALSE(input.notice_is_fault);
  CHECK(*viewer.wake_at() <= now + 4);
  viewer.update(now + 4);
  CHECK(viewer.panel_input(1).notice.empty());
  viewer.stop();
}

TEST_CASE("that a film was stopped is shown", "[window]") {
  const test::OutputFolder folder;
  render::RenderRequest base;
  base.compute.device = "cpu";
  Doorbell bell;
  Viewer viewer(base, [&] { bell.ring(); });
  viewer.set_picture_size(64, 48);
  const auto run = [&](const std::string& line, const std::function<bool()>& done) {
    viewer.push(line);
    viewer.update(1);
    for (int k = 0; k < 2400 && !done(); ++k) {
      bell.wait(std::chrono::milliseconds(25));
      viewer.update(1);
    }
    REQUIRE(done());
  };
  run("open " + test::sample_file(), [&] { return viewer.settled(); });
  run("add_key 0", [] { return true; });
  run("orbit 30 0", [] { return true; });
  run("add_key 100", [] { return true; });
  run("export_frames " + folder.path("%04d.png") + " 30 3000 32x24 off",
      [&] { return std::filesystem::exists(folder.path("0001.png")); });
  run("cancel export", [&] { return !viewer.exporter().busy(); });
  viewer.update(1);
  const auto input = viewer.panel_input(1);
  INFO(input.notice);
  CHECK(input.notice.starts_with("The film was stopped; "));
  CHECK_FALSE(input.notice_is_fault);
  viewer.stop();
}

}  // namespace haloscope::app::viewer
