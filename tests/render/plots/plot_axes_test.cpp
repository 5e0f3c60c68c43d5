#include "render/plots/axis_marks.h"
#include "render/plots/plot_limits.h"
#include "tests/catch.h"

#include <cmath>
#include <string>

// Axes of plots: places, limits, marks.

namespace haloscope::render {

namespace {

using analysis::AxisScale;

AxisMap axis(AxisScale scale, double low, double high, double softening = 1) {
  return {scale, softening, {low, high}, 0, 100};
}

std::string words(const AxisMap& map, int most) {
  std::string all;
  for (const AxisMark& mark : axis_marks(map, most))
    if (!mark.words.empty()) all += mark.words + " ";
  return all;
}

}  // namespace

TEST_CASE("a value of an axis has a place, and the place that value", "[plot]") {
  for (const AxisMap& map : {axis(AxisScale::Linear, -3, 5), axis(AxisScale::Log, 1e-3, 1e7),
                             axis(AxisScale::Asinh, -1e4, 1e6, 10)}) {
    CHECK(map.at(map.limits[0]) == Approx(0).margin(1e-9));
    CHECK(map.at(map.limits[1]) == Approx(100));
    for (const double place : {1., 33., 50., 99.})
      CHECK(map.at(map.value_at(place)) == Approx(place));
  }
  CHECK(axis(AxisScale::Log, 1, 1e4).at(100) == Approx(50));
  CHECK_FALSE(std::isfinite(axis(AxisScale::Log, 1, 10).at(0)));
}

TEST_CASE("a zoom keeps what is under the mouse, and a drag moves it along", "[plot]") {
  for (const AxisMap& map : {axis(AxisScale::Linear, -3, 5), axis(AxisScale::Log, 1e-3, 1e7),
                             axis(AxisScale::Asinh, -1e4, 1e6, 10)}) {
    AxisMap near = map;
    near.limits = zoomed(map, 0.5, 30);
    CHECK(near.value_at(30) == Approx(map.value_at(30)));
    CHECK(near.value_at(40) == Approx(map.value_at(35)));
    AxisMap moved = map;
    moved.limits = panned(map, 20);
    CHECK(moved.value_at(50) == Approx(map.value_at(30)));
  }
  // Where numbers end nothing changes any more: no axis without a width, none beyond all numbers.
  AxisMap deep = axis(AxisScale::Log, 1, 10), wide = deep;
  for (int k = 0; k < 2000; ++k) {
    deep.limits = zoomed(deep, 0.8, 37);
    wide.limits = zoomed(wide, 1.25, 37);
  }
  CHECK(deep.limits[0] < deep.limits[1]);
  CHECK(wide.limits[0] > 0);
  CHECK(std::isfinite(wide.limits[1]));
  CHECK(axis_marks(deep, 8).size() < 100);
  CHECK(axis_marks(wide, 8).size() < 100);
}

TEST_CASE("marks are round numbers, and powers of ten where the axis is logarithmic", "[plot]") {
  CHECK(words(axis(AxisScale::Linear, 0, 1000), 5) == "0 200 400 600 800 1000 ");
  CHECK(words(axis(AxisScale::Linear, -0.031, 0.022), 6) == "-0.03 -0.02 -0.01 0 0.01 0.02 ");
  CHECK(words(axis(AxisScale::Linear, 0, 3e12), 3) == "0 10^{12} 2×10^{12} 3×10^{12} ");
  CHECK(words(axis(AxisScale::Log, 5e10, 2e13), 6) == "10^{11} 10^{12} 10^{13} ");
  CHECK(words(axis(AxisScale::Log, 1, 1e4), 6) == "10^{0} 10^{1} 10^{2} 10^{3} 10^{4} ");
  // Where more than powers are told, plain numbers as far as they are short.
  CHECK(words(axis(AxisScale::Log, 4, 60), 6) == "5 10 20 50 ");
  CHECK(words(axis(AxisScale::Log, 0.015, 0.3), 6) == "0.02 0.05 0.1 0.2 ");
  CHECK(words(axis(AxisScale::Log, 4e6, 6e7), 6) == "5×10^{6} 10^{7} 2×10^{7} 5×10^{7} ");
  CHECK(words(axis(AxisScale::Log, 3e5, 4e5), 3) == "3.0×10^{5} 3.5×10^{5} 4.0×10^{5} ");
  CHECK(words(axis(AxisScale::Asinh, -2e3, 2e3, 10), 9) ==
        "-10^{3} -10^{2} -10^{1} 0 10^{1} 10^{2} 10^{3} ");
  CHECK(words(axis(AxisScale::Asinh, -1, 1, 10), 5) == "-1.0 -0.5 0 0.5 1.0 ");
  // Short marks for 2 to 9 between them.
  CHECK(axis_marks(axis(AxisScale::Log, 1, 10), 3).size() >= 10);
}

TEST_CASE("limits show all points, bars and lines, and hold where there is nothing", "[plot]") {
  analysis::Plot plot;
  plot.x.scale = plot.y.scale = AxisScale::Log;
  CHECK(fitting_limits(plot).x[0] > 0);
  plot.layers.resize(1);
  plot.layers[0].points = {{1e3, 5}, {1e5, 0, 5e4, 2e5, 0, 300}, {-1, analysis::kNotThere}};
  plot.marks.push_back({"", 10});
  const PlotLimits limits = fitting_limits(plot);
  CHECK(limits.x[0] < 10);
  CHECK(limits.x[0] > 1);
  CHECK(limits.x[1] > 2e5);
  CHECK(limits.y[0] < 5);
  CHECK(limits.y[1] > 300);
  // Equal values: a decade of a logarithm, and a little of a straight axis.
  plot.layers[0].points = {{7, 7}};
  plot.marks.clear();
  const PlotLimits one = fitting_limits(plot);
  CHECK(std::log10(one.x[1] / one.x[0]) == Approx(1));
  plot.y.scale = AxisScale::Linear;
  CHECK(fitting_limits(plot).y[0] < fitting_limits(plot).y[1]);
  // Bars stand on zero; an axis may say what it shows.
  plot.layers[0].kind = analysis::LayerKind::Bars;
  CHECK(fitting_limits(plot).y[0] == 0);
  plot.y.low = -5;
  plot.y.high = 5;
  CHECK(fitting_limits(plot).y == AxisLimits{-5, 5});
}

}  // namespace haloscope::render
