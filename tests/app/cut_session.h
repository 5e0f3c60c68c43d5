#pragma once

// Sessions in which clusters are cut, as somebody watches them.

#include "analysis/clusters/clusters_options.h"
#include "analysis/finding.h"
#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>

namespace haloscope::test {

inline std::string cut_sample() {
  return sample_file();
}

class CutSession {
 public:
  CutSession() {
    base.compute.device = "cpu";
    viewer = std::make_unique<app::viewer::Viewer>(base, [this] { bell.ring(); });
    viewer->set_picture_size(64, 48);
    run("open " + cut_sample());
  }
  ~CutSession() { viewer->stop(); }

  void frame(const std::string& line = {}) {
    if (!line.empty()) viewer->push(line);
    viewer->update(now += 0.01);
  }
  // `until` is not asked before the next frame.
  template <class F>
  void wait(const F& until) {
    for (int k = 0; k < 1200 && !until(); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      frame();
    }
    REQUIRE(until());
  }
  void run(const std::string& line) {
    frame(line);
    wait([&] { return viewer->settled() && !viewer->animating(now); });
  }
  const analysis::Finding* shown() { return viewer->panel_input(1).finding; }
  std::string cut() const {
    return viewer->state().finding("clusters").options.as<analysis::ClustersOptions>().cut;
  }
  std::string fault() { return viewer->panel_input(1).notice; }

  render::RenderRequest base;
  app::viewer::Doorbell bell;
  double now = 1;
  std::unique_ptr<app::viewer::Viewer> viewer;
};

// A height that so many of the tree's merges are below, with few digits.
inline std::string height_of(const analysis::Finding& found, double part) {
  const analysis::CutScale& cut = found.cut.value();
  const double height = cut.low * std::pow(cut.high / cut.low, part);
  return fmt::format("distance:{:.4g}", height);
}

}  // namespace haloscope::test
