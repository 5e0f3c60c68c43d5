#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <chrono>
#include <functional>
#include <string>

// What is double-clicked comes to the middle of the picture.

namespace haloscope::app::viewer {

namespace {

struct Window {
  Doorbell bell;
  Viewer viewer;
  double now = 1;

  Window() : viewer(base(), [this] { bell.ring(); }) {
    viewer.set_picture_size(64, 48);
    viewer.push("open " + test::source_dir() + "/assets/sample.hdf5");
    REQUIRE(comes([this] { return viewer.settled() && viewer.state().camera; }));
  }
  ~Window() { viewer.stop(); }

  static render::RenderRequest base() {
    render::RenderRequest base;
    base.compute.device = "cpu";
    return base;
  }
  bool comes(const std::function<bool()>& there) {
    for (int k = 0; k < 1200; ++k) {
      viewer.update(now += 0.05);
      if (there()) return true;
      bell.wait(std::chrono::milliseconds(50));
    }
    return false;
  }
};

}  // namespace

TEST_CASE("the point under a double-click comes to the middle", "[window]") {
  Window window;
  const session::Camera before = *window.viewer.state().camera;
  window.viewer.center_on({0.1, 0});
  CHECK(window.comes([&] { return *window.viewer.state().camera != before; }));
  CHECK(window.viewer.state().camera->center != before.center);
}

TEST_CASE("the point under a double-click in a snapshot that was left is forgotten", "[window]") {
  Window window;
  const session::Camera before = *window.viewer.state().camera;
  window.viewer.center_on({0.1, 0});
  window.viewer.open_snapshot(window.viewer.state());
  REQUIRE(window.comes([&] { return window.viewer.settled(); }));
  // The point would have been found by now.
  for (int k = 0; k < 20; ++k) {
    window.bell.wait(std::chrono::milliseconds(10));
    window.viewer.update(window.now += 0.05);
  }
  CHECK(*window.viewer.state().camera == before);
}

}  // namespace haloscope::app::viewer
