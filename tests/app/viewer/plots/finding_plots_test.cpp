// What the shelf remembers of a plot that was zoomed.

#include "app/viewer/plots/finding_plots.h"

#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <memory>
#include <string>

namespace haloscope::app::viewer {

namespace {

std::shared_ptr<const analysis::Measurement> histogram_of(const std::string& field) {
  analysis::Plot plot;
  plot.name = "histogram";
  plot.x = {field, analysis::AxisScale::Linear};
  plot.y = {"mass", analysis::AxisScale::Linear};
  plot.layers.resize(1);
  plot.layers[0].points = {{1, 2}, {3, 4}};
  analysis::Measurement made;
  made.plots.push_back(plot);
  return std::make_shared<const analysis::Measurement>(made);
}

}  // namespace

TEST_CASE("a plot keeps its zoom until a plot of something else has its name", "[window][plots]") {
  auto made = histogram_of("Density");
  std::string snapshot = "/data/a.hdf5";
  test::Hand hand([&](const PanelInput& input) {
    SceneModel scene = *input.scene;
    scene.path = snapshot;
    PanelInput mine = input;
    mine.scene = &scene;
    mine.phase.made = made;
    show_finding_plots(mine);
  });
  const auto zoom = [&] {
    hand.rest(1);
    hand.memory.measured.plots["histogram"].limits = render::PlotLimits{{1, 2}, {1, 2}};
  };
  const auto is_zoomed = [&] {
    hand.rest(1);
    return hand.memory.measured.plots["histogram"].limits.has_value();
  };
  zoom();
  CHECK(is_zoomed());
  // Measured again.
  made = histogram_of("Density");
  CHECK(is_zoomed());
  made = histogram_of("Temperature");
  CHECK_FALSE(is_zoomed());
  zoom();
  snapshot = "/data/b.hdf5";
  CHECK_FALSE(is_zoomed());
}

}  // namespace haloscope::app::viewer
