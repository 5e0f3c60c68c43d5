#include "app/viewer/plots/plot_view.h"

#include "analysis/halos/mass_function_plot.h"
#include "app/viewer/plots/finding_plots.h"
#include "app/viewer/plots/screen_painter.h"
#include "render/plots/rich_text.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <array>
#include <imgui_internal.h>
#include <string>
#include <vector>

// A plot in the window under a hand.

namespace haloscope::app::viewer {

namespace {

using analysis::AxisScale;
using render::PlotPlace;

analysis::Plot sample() {
  analysis::Plot plot;
  plot.x.scale = AxisScale::Log;
  plot.x.low = 1;
  plot.x.high = 1e4;
  plot.y.low = 0;
  plot.y.high = 10;
  plot.layers.resize(1);
  plot.layers[0].points = {{10, 3}, {100, 5}};
  plot.layers[0].points[1].piece = 7;
  plot.marks.push_back({"threshold", 10, true, true});
  plot.marks.push_back({"fixed", 1000, true, false});
  return plot;
}

// 300 x 200 pixels at the corner of a window, without axes, so that places are known.
class Desk {
 public:
  static constexpr float kCorner = 8;
  PlotView view;
  PlotEvents last;
  std::vector<PlotEvents> all;
  PlotWishes wishes{true};

  void move(float x, float y) {
    ImGui::GetIO().MousePos = ImVec2(kCorner + x, kCorner + y);
    hand_.rest(1);
  }
  void press(bool down) {
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = down;
    hand_.rest(1);
  }
  void drag(float x0, float y0, float x1, float y1) {
    move(x0, y0);
    press(true);
    move((x0 + x1) / 2, (y0 + y1) / 2);
    move(x1, y1);
    press(false);
    // Two presses far apart in time are no double-click.
    hand_.rest(60);
  }
  void turn(float x, float y, float notches) {
    move(x, y);
    ImGui::GetIO().MouseWheel += notches;
    hand_.rest(1);
  }
  void shift(bool down) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down);
#else
    ImGui::GetIO().KeyShift = down;
#endif
  }
  // Values at a place of the plot as it is now.
  PlotPlace at(float x, float y) {
    move(x, y);
    REQUIRE(last.cursor);
    return *last.cursor;
  }

 private:
  analysis::Plot plot_ = sample();  // shown while hand_ is made
  test::Hand hand_{[this](const PanelInput&) {
    render::PlotStyle style = screen_style(1);
    style.bare = true;
    last = show_plot("plot", plot_, view, 300, 200, style, wishes);
    all.push_back(last);
  }};
};

}  // namespace

TEST_CASE("a click on the point of a piece picks it, and a drag does not", "[window]") {
  Desk desk;
  const auto picked = [&](float x, float y, float to) {
    desk.all.clear();
    desk.drag(x, y, to, y);
    std::vector<std::uint64_t> pieces;
    for (const PlotEvents& events : desk.all)
      if (events.picked) pieces.push_back(*events.picked);
    return pieces;
  };
  // 100 of 1 to 1e4, and 5 of 0 to 10.
  CHECK(picked(151, 101, 151) == std::vector<std::uint64_t>{7});
  CHECK(picked(151, 101, 190).empty());
  desk.view.limits.reset();
  CHECK(picked(170, 101, 170).empty());
  CHECK(picked(75, 140, 75).empty());
}

TEST_CASE("Shift and drag draws a rectangle over a plot, with values of both axes", "[window]") {
  Desk desk;
  desk.shift(true);
  // From below at the right to above at the left.
  desk.drag(225, 150, 75, 50);
  desk.shift(false);
  std::vector<render::PlotLimits> drawn;
  for (const PlotEvents& events : desk.all)
    if (events.brushed) drawn.push_back(*events.brushed);
  REQUIRE(drawn.size() == 1);
  // x is logarithmic from 1 to 1e4 over 300 pixels, y linear from 0 to 10 over 200.
  CHECK(drawn[0].x[0] == Approx(10).epsilon(0.05));
  CHECK(drawn[0].x[1] == Approx(1000).epsilon(0.05));
  CHECK(drawn[0].y[0] == Approx(2.5).epsilon(0.05));
  CHECK(drawn[0].y[1] == Approx(7.5).epsilon(0.05));
  CHECK_FALSE(desk.view.limits);
  // Neither a press with Shift that does not move nor a drag without it is one.
  desk.all.clear();
  desk.shift(true);
  desk.drag(151, 101, 151, 101);
  desk.shift(false);
  desk.drag(151, 101, 190, 120);
  for (const PlotEvents& events : desk.all) CHECK_FALSE(events.brushed);
  // What reaches out of the frame ends there.
  desk.view.limits.reset();
  desk.all.clear();
  desk.shift(true);
  desk.drag(150, 100, 500, 500);
  desk.shift(false);
  drawn.clear();
  for (const PlotEvents& events : desk.all)
    if (events.brushed) drawn.push_back(*events.brushed);
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0].x[1] == Approx(1e4));
  CHECK(drawn[0].y[0] == Approx(0).margin(1e-9));
}

TEST_CASE("the wheel zooms a plot about the mouse, and a double-click shows all", "[window]") {
  Desk desk;
  const PlotPlace before = desk.at(150, 100);
  CHECK(before.x == Approx(100).epsilon(0.05));
  CHECK(before.y == Approx(5).epsilon(0.05));
  desk.turn(150, 100, 2);
  REQUIRE(desk.view.limits);
  const PlotPlace after = desk.at(150, 100);
  CHECK(after.x == Approx(before.x));
  CHECK(after.y == Approx(before.y));
  CHECK(desk.view.limits->x[1] < 1e4);
  CHECK(desk.view.limits->y[0] > 0);
  for (int k = 0; k < 2; ++k) {
    desk.press(true);
    desk.press(false);
  }
  CHECK_FALSE(desk.view.limits);
}

TEST_CASE("a drag moves the plot with the mouse", "[window]") {
  Desk desk;
  const PlotPlace held = desk.at(200, 50);
  desk.drag(200, 50, 140, 90);
  REQUIRE(desk.view.limits);
  const PlotPlace there = desk.at(140, 90);
  CHECK(there.x == Approx(held.x));
  CHECK(there.y == Approx(held.y));
  for (const PlotEvents& events : desk.all) CHECK_FALSE(events.moved);
}

TEST_CASE("a marked line is dragged where it may be, and then the plot stays", "[window]") {
  Desk desk;
  // 10 is at a quarter of four decades.
  desk.drag(75, 150, 150, 20);
  CHECK_FALSE(desk.view.limits);
  double value = 0;
  for (const PlotEvents& events : desk.all)
    if (events.moved) {
      CHECK(events.moved->mark == 0);
      value = events.moved->value;
    }
  CHECK(value == Approx(100).epsilon(0.05));
  desk.all.clear();
  // Beyond the frame: its end.
  desk.drag(75, 150, 320, 150);
  double last = 0;
  for (const PlotEvents& events : desk.all)
    if (events.moved) last = events.moved->value;
  CHECK(last == Approx(1e4));
  desk.all.clear();
  desk.drag(225, 150, 150, 150);
  for (const PlotEvents& events : desk.all) CHECK_FALSE(events.moved);
  CHECK(desk.view.limits);
}

TEST_CASE("over the numbers of one axis the wheel zooms that one alone", "[window]") {
  render::PlotFrame frame;
  frame.inside = {50, 10, 250, 110};
  frame.x = {AxisScale::Linear, 1, {0, 1}, 50, 250};
  frame.y = {AxisScale::Linear, 1, {0, 1}, 110, 10};
  const auto left = wheel_zoomed(frame, {20, 60}, 1), below = wheel_zoomed(frame, {150, 130}, 1);
  CHECK(left.x == frame.x.limits);
  CHECK(left.y != frame.y.limits);
  CHECK(below.y == frame.y.limits);
  CHECK(below.x[0] == Approx(0.1));
  CHECK(below.x[1] == Approx(0.9));
  CHECK(values_in_words(frame, {150, 60}) == "x 0.5, y 0.5");
  const render::PlotLimits between = limits_between(frame, {999, 60}, {150, 999});
  CHECK(between.x == std::array<double, 2>{0.5, 1});
  CHECK(between.y == std::array<double, 2>{0, 0.5});
}

TEST_CASE("the mass function is zoomed in its panel and written by its button", "[window]") {
  analysis::Finding halos = test::many_halos(50);
  halos.plots = {analysis::mass_function_plot(
      analysis::bin_masses(std::vector<double>{1e12, 1e12, 3e13}, 1e6, 0.2), 32, {})};
  test::Hand hand([&](const PanelInput& input) {
    PanelInput mine = input;
    mine.finding = &halos;
    show_finding_plots(mine);
  });
  hand.memory.finders["halos"].plot_files["mass_function"] = {"a \"b\".svg"};
  ImGui::GetIO().MousePos = ImVec2(200, 80);
  hand.rest(1);
  ImGui::GetIO().MouseWheel += 1;
  hand.rest(1);
  CHECK(hand.memory.finders["halos"].plots["mass_function"].limits);
  CHECK(hand.emitted.empty());
  for (float y = 500; y < 700 && hand.emitted.empty(); y += 8)
    for (float x = 180; x < 335; x += 20) hand.click(x, y);
  REQUIRE_FALSE(hand.emitted.empty());
  CHECK(session::parse_command(hand.emitted[0]) ==
        session::parse_command("export_plot mass_function \"a \\\"b\\\".svg\""));
}

TEST_CASE("a plot fills the shelf, and its words and button are in reach", "[window]") {
  analysis::Finding halos = test::many_halos(50);
  analysis::MassFunction function =
      analysis::bin_masses(std::vector<double>{1e12, 1e12, 3e13}, 1e6, 0.2);
  function.mass_unit = "Msun/h";
  function.least_mass = 9e11;
  halos.plots = {analysis::mass_function_plot(function, 32, {})};
  // Of the shelf's page: 25, 40 and 60 % of a window of 1280 x 800 and of 1920 x 1080, and narrow.
  const std::vector<ImVec2> pages{{904, 140},  {904, 255},  {904, 400}, {1544, 207},
                                  {1544, 362}, {1544, 570}, {300, 260}};
  for (const ImVec2& size : pages) {
    float used = 0, scrolls = -1;
    bool axes = false;
    test::Hand hand([&](const PanelInput& input) {
      PanelInput mine = input;
      mine.finding = &halos;
      ImGui::BeginChild("page", size);
      scrolls = ImGui::GetScrollMaxY();
      show_finding_plots(mine);
      used = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y;
      ImGui::EndChild();
    });
    hand.rest(3);
    INFO(size.x << " x " << size.y);
    // The plot has a part of the page to itself.
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (std::string(window->Name).find("/plot_") != std::string::npos) {
        axes = window->DrawList->VtxBuffer.Size > 200;
        CHECK(window->ScrollMax.y == 0);
      }
    CHECK(scrolls == 0);
    CHECK(axes);
    CHECK(used == Approx(size.y).margin(2));
  }
}

TEST_CASE("words on screen are as wide with powers as without their marks", "[window]") {
  const test::DryUi ui(100, 100);
  ImGui::NewFrame();
  ScreenPainter painter(*ImGui::GetForegroundDrawList());
  const double plain = painter.text_width("10", 14);
  CHECK(plain == Approx(double(ImGui::CalcTextSize("10").x)).margin(1));
  CHECK(painter.text_width("10^{12}", 14) == Approx(plain * (1 + render::kScriptSize)));
  CHECK(painter.text_width("10", 28) == Approx(2 * plain));
  const int before = ImGui::GetForegroundDrawList()->VtxBuffer.Size;
  painter.text({50, 50}, "-1 Msun", {14, {}, 0.5, 0.5, true});
  // Turned: higher than wide.
  float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
  const auto& vertices = ImGui::GetForegroundDrawList()->VtxBuffer;
  for (int k = before; k < vertices.Size; ++k) {
    low[0] = std::min(low[0], vertices[k].pos.x);
    high[0] = std::max(high[0], vertices[k].pos.x);
    low[1] = std::min(low[1], vertices[k].pos.y);
    high[1] = std::max(high[1], vertices[k].pos.y);
  }
  CHECK(high[1] - low[1] > 2 * (high[0] - low[0]));
  CHECK((high[0] + low[0]) / 2 == Approx(50).margin(4));
  CHECK((high[1] + low[1]) / 2 == Approx(50).margin(2));
  ImGui::EndFrame();
}

}  // namespace haloscope::app::viewer
