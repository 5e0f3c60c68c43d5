#include "analysis/plot_csv.h"
#include "render/plots/draw_map.h"
#include "render/plots/plot_svg.h"
#include "tests/catch.h"

#include <cmath>
#include <string>
#include <vector>

// Bins of two fields as colors, with the bar that tells them.

namespace haloscope::render {

namespace {

// Notes each box that is filled.
class Boxes : public Painter {
 public:
  struct Box {
    PlotPlace low, high;
    PlotInk ink;
  };
  std::vector<Box> boxes;
  std::vector<std::string> words;

  void line(std::span<const PlotPlace>, const Stroke&) override {}
  void fill(std::span<const PlotPlace> places, PlotInk ink) override {
    boxes.push_back({places[0], places[2], ink});
  }
  void disc(PlotPlace, double, PlotInk) override {}
  void text(PlotPlace, const std::string& text, const Lettering&) override {
    words.push_back(text);
  }
  double text_width(const std::string& text, double size) const override {
    return 0.6 * size * double(text.size());
  }
  void push_clip(const PlotArea&) override {}
  void pop_clip() override {}
};

analysis::Plot sample() {
  analysis::Plot plot;
  plot.x = {"x", analysis::AxisScale::Log};
  plot.y = {"y"};
  plot.map = analysis::PlotMap{{1, 10, 100},
                               {0, 1, 2},
                               {1, 100, analysis::kNotThere, 100},
                               {"mass", analysis::AxisScale::Log}};
  plot.x.low = 1;
  plot.x.high = 100;
  plot.y.low = 0;
  plot.y.high = 2;
  return plot;
}

}  // namespace

TEST_CASE("bins of a map lie where their edges are", "[plot]") {
  const analysis::Plot plot = sample();
  Boxes boxes;
  const PlotStyle style = paper_style(1);
  const PlotFrame frame = lay_out(plot, fitting_limits(plot), {0, 0, 480, 360}, style, boxes);
  draw_map(*plot.map, frame, style, boxes);
  // A bin without a value has no color.
  REQUIRE(boxes.boxes.size() == 3);
  const auto& first = boxes.boxes[0];
  CHECK(first.low.x == Approx(frame.inside.left));
  CHECK(first.high.x == Approx((frame.inside.left + frame.inside.right) / 2));
  CHECK(first.high.y == Approx(frame.inside.bottom));
  CHECK(first.low.y == Approx((frame.inside.top + frame.inside.bottom) / 2));
  // The lowest value has the ramp's first color, the highest its last.
  CHECK(first.ink.red == style.ramp.front().red);
  CHECK(boxes.boxes[1].ink.red == style.ramp.back().red);
  CHECK(boxes.boxes[2].ink.red == style.ramp.back().red);
}

TEST_CASE("bins of one color that touch are one shape", "[plot]") {
  analysis::Plot plot = sample();
  plot.map->values = {7, 7, 7, 7};
  Boxes boxes;
  const PlotStyle style = paper_style(1);
  const PlotFrame frame = lay_out(plot, fitting_limits(plot), {0, 0, 480, 360}, style, boxes);
  draw_map(*plot.map, frame, style, boxes);
  CHECK(boxes.boxes.size() == 2);
}

TEST_CASE("a map's bar has room at the right, and its numbers and title", "[plot]") {
  const analysis::Plot plot = sample();
  analysis::Plot without = plot;
  without.map.reset();
  Boxes boxes;
  const PlotStyle style = paper_style(1);
  const PlotArea whole{0, 0, 480, 360};
  const PlotFrame frame = lay_out(plot, fitting_limits(plot), whole, style, boxes);
  CHECK(frame.inside.right <
        lay_out(without, fitting_limits(plot), whole, style, boxes).inside.right - 20);
  draw_plot(plot, frame, style, boxes);
  bool title = false, hundred = false;
  for (const std::string& word : boxes.words) {
    title = title || word == "mass";
    hundred = hundred || word == "100" || word == "10^{2}";
  }
  CHECK(title);
  CHECK(hundred);
  for (const auto& box : boxes.boxes) CHECK(box.high.x < 480);
}

TEST_CASE("maps of one value or of none have limits", "[plot]") {
  analysis::Plot plot = sample();
  plot.map->values = {5, 5, 5, 5};
  AxisLimits limits = color_limits(*plot.map);
  CHECK((limits[0] < 5 && limits[1] > 5));
  plot.map->values.assign(4, analysis::kNotThere);
  limits = color_limits(*plot.map);
  CHECK(limits[0] < limits[1]);
  CHECK(plot_svg(plot).find("nan") == std::string::npos);
}

TEST_CASE("a map's table has a row for each bin with a value", "[plot]") {
  const std::string csv = analysis::plot_csv(sample());
  CHECK(csv.find("# value: mass\nx_low,x_high,y_low,y_high,value\n1,10,0,1,1\n1,10,1,2,100\n"
                 "10,100,1,2,100\n") != std::string::npos);
}

TEST_CASE("a plot with a map and no layers is not empty", "[plot]") {
  analysis::Plot plot = sample();
  CHECK_FALSE(plot.is_empty());
  plot.map.reset();
  CHECK(plot.is_empty());
}

}  // namespace haloscope::render
