#include "render/plots/plot_svg.h"

#include "render/plots/draw_plot.h"
#include "render/plots/rich_text.h"
#include "render/plots/svg_painter.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Plots drawn through a painter, and the file that one of them makes.

namespace haloscope::render {

namespace {

// Notes what it is asked for.
class Notes : public Painter {
 public:
  std::vector<PlotPlace> discs, corners;
  std::vector<std::vector<PlotPlace>> lines;
  std::vector<std::string> words;
  std::vector<PlotPlace> word_places;
  PlotInk filled;
  int clips = 0;

  void line(std::span<const PlotPlace> places, const Stroke&) override {
    lines.emplace_back(places.begin(), places.end());
  }
  void fill(std::span<const PlotPlace> places, PlotInk ink) override {
    corners.insert(corners.end(), places.begin(), places.end());
    filled = ink;
  }
  void disc(PlotPlace center, double, PlotInk) override { discs.push_back(center); }
  void text(PlotPlace place, const std::string& text, const Lettering&) override {
    words.push_back(text);
    word_places.push_back(place);
  }
  double text_width(const std::string& text, double size) const override {
    return 0.6 * size * double(text.size());
  }
  void push_clip(const PlotArea&) override { ++clips; }
  void pop_clip() override { --clips; }
  bool says(const std::string& text) const {
    return std::find(words.begin(), words.end(), text) != words.end();
  }
};

analysis::Plot sample() {
  analysis::Plot plot;
  plot.x = {"M [Msun/h]", analysis::AxisScale::Log};
  plot.y = {"n & m", analysis::AxisScale::Log};
  plot.layers.resize(1);
  plot.layers[0].name = "halos <found>";
  plot.layers[0].points = {{1e11, 1e-2, 8e10, 2e11, 5e-3, 2e-2}, {1e12, 0, 8e11, 2e12, 0, 1e-3}};
  plot.marks.push_back({"32 members", 9e10});
  plot.notes = {"find halos a<b"};
  return plot;
}

Notes drawn(const analysis::Plot& plot, const PlotArea& whole, PlotFrame* frame = nullptr) {
  Notes notes;
  const PlotStyle style = paper_style(1);
  const PlotFrame laid = lay_out(plot, fitting_limits(plot), whole, style, notes);
  draw_plot(plot, laid, style, notes);
  if (frame) *frame = laid;
  return notes;
}

}  // namespace

TEST_CASE("powers, indices, units and minus signs are written as in print", "[plot]") {
  using Runs = std::vector<TextRun>;
  CHECK(text_runs("10^{12} Mpc^-3") == Runs{{"10", 0}, {"12", 1}, {" Mpc", 0}, {"\u22123", 1}});
  CHECK(text_runs("log_{10} M") == Runs{{"log", 0}, {"10", -1}, {" M", 0}});
  CHECK(text_runs("1e10 Msun/h") == Runs{{"1e10 M", 0}, {"\u2609", -1}, {"/h", 0}});
  CHECK(text_runs("-3 to a-4") == Runs{{"\u22123 to a-4", 0}});
  // What is no markup stays as it is.
  CHECK(text_runs("v_x, a^b, c^{d") == Runs{{"v_x, a^b, c^{d", 0}});
  CHECK(text_runs("").empty());
}

TEST_CASE("a plot is drawn with its points, upper limits, titles and legend", "[plot]") {
  PlotFrame frame;
  const Notes notes = drawn(sample(), {0, 0, 480, 360}, &frame);
  CHECK(frame.inside.left > 20);
  CHECK(frame.inside.bottom < 340);
  // One point; the other one is an upper limit; a second disc is the legend's.
  REQUIRE(notes.discs.size() == 2);
  CHECK(notes.discs[0].x == Approx(frame.x.at(1e11)));
  CHECK(notes.discs[0].y == Approx(frame.y.at(1e-2)));
  REQUIRE(notes.corners.size() == 3);
  CHECK(notes.corners[2].x == Approx(frame.x.at(1e12)));
  CHECK(notes.corners[2].y > frame.y.at(1e-3));
  for (const char* text : {"M [Msun/h]", "n & m", "halos <found>", "32 members", "10^{11}"})
    CHECK(notes.says(text));
  CHECK(notes.clips == 0);
}

TEST_CASE("a plot of any size and any numbers is drawn within numbers", "[plot]") {
  analysis::Plot odd = sample();
  odd.layers[0].points.push_back({1e-300, 1e300, 0, HUGE_VAL, 0, HUGE_VAL});
  odd.layers[0].points.push_back({-1, -1});
  for (const auto kind : {analysis::LayerKind::Points, analysis::LayerKind::Line,
                          analysis::LayerKind::Steps, analysis::LayerKind::Bars})
    for (const auto scale :
         {analysis::AxisScale::Linear, analysis::AxisScale::Log, analysis::AxisScale::Asinh})
      for (const double size : {1., 60., 480.}) {
        odd.layers[0].kind = kind;
        odd.x.scale = odd.y.scale = scale;
        const Notes notes = drawn(odd, {0, 0, size, size});
        for (const auto& line : notes.lines)
          for (const PlotPlace& place : line) {
            CHECK(std::isfinite(place.x));
            CHECK(std::isfinite(place.y));
          }
      }
}

TEST_CASE("a plot's SVG holds its words, its notes and nothing that is not XML", "[plot]") {
  const std::string svg = plot_svg(sample());
  const auto holds = [&](const std::string& text) { return svg.find(text) != std::string::npos; };
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(holds("<desc>find halos a&lt;b</desc>"));
  CHECK(holds(">halos &lt;found&gt;</text>"));
  CHECK(holds("n &amp; m</text>"));
  CHECK(holds("rotate(-90"));
  CHECK(holds("stroke-dasharray=\"4\""));
  CHECK(holds(">10<tspan dy=\"-4.09\" font-size=\"8.67\">11</tspan></text>"));
  CHECK_FALSE(holds("nan"));
  CHECK_FALSE(holds("inf"));
  SvgPainter painter;
  painter.text({1, 2}, "a\x01 b", {});
  const std::string clean = painter.file(10, 10, {}, "t", "");
  CHECK(clean.find("a b</text>") != std::string::npos);
}

namespace {

// From corner to corner, so that no corner is empty, and no point lies in one.
analysis::Plot crossing(const std::string& name) {
  analysis::Plot plot;
  plot.x = {"x"};
  plot.y = {"y"};
  plot.layers.resize(2);
  for (auto& layer : plot.layers) {
    layer.kind = analysis::LayerKind::Line;
    layer.name = name;
  }
  plot.layers[0].points = {{-1., -1.}, {2., 2.}};
  plot.layers[1].points = {{-1., 2.}, {2., -1.}};
  plot.x.low = plot.y.low = 0;
  plot.x.high = plot.y.high = 1;
  return plot;
}

}  // namespace

TEST_CASE("a legend that has no room beside its lines has a ground of its own", "[plot]") {
  analysis::Plot plot = crossing("a name as wide as this");
  const PlotArea whole{0, 0, 340, 120};
  const Notes crossed = drawn(plot, whole);
  REQUIRE(crossed.corners.size() == 4);
  // A curve that runs on below it does not seem to end.
  CHECK(crossed.filled.alpha > 128);
  CHECK(crossed.filled.alpha < 255);
  // Where nothing lies below, the words stand on the plot's own ground.
  plot.layers[0].points.clear();
  plot.layers[1].points = {{0.2, 0}, {0.2, 0.01}};
  CHECK(drawn(plot, whole).corners.empty());
}

TEST_CASE("a legend leaves the axes where it would cover curves", "[plot]") {
  const analysis::Plot plot = crossing("curve");
  const auto has_room = [&](const Notes& notes, const PlotArea& room) {
    int count = 0;
    for (std::size_t k = 0; k < notes.words.size(); ++k) {
      if (notes.words[k] != "curve") continue;
      const PlotPlace& at = notes.word_places[k];
      CHECK(room.holds({at.x, at.y - 7}));
      CHECK(room.holds({at.x + notes.text_width("curve", PlotStyle().letters), at.y + 7}));
      ++count;
    }
    return count;
  };
  // Beside the axes where the plot is wide.
  PlotFrame frame;
  Notes notes = drawn(plot, {0, 0, 600, 140}, &frame);
  CHECK(has_room(notes, {frame.inside.right, 0, 600, 140}) == 2);
  CHECK(notes.corners.empty());
  // Above them elsewhere.
  notes = drawn(plot, {0, 0, 260, 240}, &frame);
  CHECK(has_room(notes, {0, 0, 260, frame.inside.top}) == 2);
  CHECK(notes.corners.empty());
  // Where there is little room, curves have their names alone.
  analysis::Plot marked = crossing("A");
  marked.marks.push_back({"a mark with a long name", 0.5});
  PlotFrame low;
  notes = drawn(marked, {0, 0, 260, 120}, &low);
  CHECK(std::count(notes.words.begin(), notes.words.end(), "A") == 2);
  CHECK_FALSE(notes.says("a mark with a long name"));
  CHECK(low.legend_names == 2);
  // A zoom lets the axes stay where they are.
  PlotLimits seen = fitting_limits(plot);
  seen.x = {0.4, 0.41};
  const PlotFrame zoomed = lay_out(plot, seen, {0, 0, 260, 240}, paper_style(1), notes);
  CHECK(zoomed.inside.top == frame.inside.top);
}

TEST_CASE("a plot of a single curve has no legend", "[plot]") {
  analysis::Plot plot = sample();
  plot.marks.clear();
  CHECK_FALSE(drawn(plot, {0, 0, 480, 360}).says("halos <found>"));
  plot.layers.push_back(plot.layers[0]);
  CHECK(drawn(plot, {0, 0, 480, 360}).says("halos <found>"));
}

TEST_CASE("a legend stays within the frame: in columns, or not at all", "[plot]") {
  analysis::Plot plot = sample();
  plot.marks.clear();
  plot.layers.resize(8, plot.layers[0]);
  for (std::size_t k = 0; k < 8; ++k) plot.layers[k].name = "curve " + std::to_string(k);
  const auto named = [&](const PlotArea& whole) {
    PlotFrame frame;
    const Notes notes = drawn(plot, whole, &frame);
    int count = 0;
    for (std::size_t k = 0; k < notes.words.size(); ++k) {
      if (!notes.words[k].starts_with("curve ")) continue;
      ++count;
      const PlotPlace& at = notes.word_places[k];
      CHECK(frame.inside.holds(at));
      CHECK(at.x + notes.text_width(notes.words[k], PlotStyle().letters) < frame.inside.right);
    }
    return count;
  };
  CHECK(named({0, 0, 480, 360}) == 8);
  CHECK(named({0, 0, 480, 130}) == 8);
  CHECK(named({0, 0, 160, 130}) == 0);
}

}  // namespace haloscope::render
