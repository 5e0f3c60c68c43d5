#include "analysis/finder.h"
#include "app/viewer/viewer.h"
#include "tests/app/viewer/sample_window.h"
#include "tests/catch.h"

#include <chrono>

// What is double-clicked comes to the middle of the picture.

namespace haloscope::app::viewer {

using Window = test::SampleWindow;

TEST_CASE("the point under a double-click comes to the middle", "[window]") {
  Window window;
  const session::Camera before = *window.viewer.state().camera;
  window.viewer.center_on({0.1, 0});
  CHECK(window.comes([&] { return *window.viewer.state().camera != before; }));
  CHECK(window.viewer.state().camera->center != before.center);
}

TEST_CASE("a click beside the crosses selects the peak of what is seen there", "[window][peaks]") {
  Window window;
  window.viewer.push("find peaks grid=24 persistence=mean:20");
  REQUIRE(window.comes([&] { return window.viewer.settled(); }));
  const session::Camera camera = *window.viewer.state().camera;
  window.viewer.select_seen({0, 0});
  REQUIRE(
      window.comes([&] { return window.viewer.state().finding("peaks").selected.has_value(); }));
  // The piece of the point that a double-click brings to the middle.
  const auto selected = window.viewer.state().finding("peaks").selected;
  window.viewer.center_on({0, 0});
  REQUIRE(window.comes([&] { return *window.viewer.state().camera != camera; }));
  REQUIRE(window.comes([&] { return window.viewer.settled(); }));
  const auto found = window.viewer.panel_input(1).finding;
  REQUIRE(found);
  CHECK(analysis::require_finder("peaks").piece_at(*found, window.viewer.state().camera->center) ==
        selected);
  // Where no light is, no peak is selected.
  const SceneModel model = *window.viewer.panel_input(1).scene;
  for (const int type : model.types) window.viewer.push("hide " + model.info.types.at(type).name);
  REQUIRE(window.comes([&] { return window.viewer.settled(); }));
  window.viewer.select_seen({0, 0});
  CHECK(window.comes([&] { return !window.viewer.state().finding("peaks").selected; }));
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
