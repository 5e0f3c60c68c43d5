#pragma once

#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <chrono>
#include <functional>
#include <string>

namespace haloscope::test {

// A session as somebody watches it, with snapshots that are open: without more the sample.
struct SampleWindow {
  app::viewer::Doorbell bell;
  app::viewer::Viewer viewer;
  double now = 1;

  explicit SampleWindow(const std::string& files = sample_file())
      : viewer(base(), [this] { bell.ring(); }) {
    viewer.set_picture_size(64, 48);
    viewer.push("open " + files);
    REQUIRE(comes([this] { return viewer.settled() && viewer.state().camera; }));
  }
  ~SampleWindow() { viewer.stop(); }

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
  bool comes_to_rest() {
    viewer.update(now += 0.05);
    return comes([this] { return viewer.settled(); });
  }
};

}  // namespace haloscope::test
