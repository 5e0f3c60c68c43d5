#include "app/viewer/plots/finding_plots.h"
#include "tests/app/viewer/picture_hand.h"
#include "tests/catch.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

// Lines that are drawn over the picture and rectangles over plots, with a mouse.

namespace haloscope::app::viewer {

namespace {

constexpr PictureArea kWhole{0, 0, 400, 300};

class LassoHand final : public test::PictureHand {
 public:
  LassoHand() : PictureHand(400, 300) {}

  Measurer::Outcome phase;
  bool over_plot = false;

  void drag(const std::vector<ImVec2>& places, bool ctrl, bool shift) {
    frame(places.front(), false, ctrl, shift);
    for (const ImVec2& place : places) frame(place, true, ctrl, shift);
    frame(places.back(), false, ctrl, shift);
    frame(places.back(), false, false, false);
  }

 private:
  void frame(const ImVec2& at, bool down, bool ctrl, bool shift) {
    constexpr float kSeconds = 0.5f;  // no double-click
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = kSeconds;
    io.MousePos = at;
    io.MouseDown[ImGuiMouseButton_Left] = down;
    io.KeyCtrl = ctrl;
    io.KeyShift = shift;
    ImGui::NewFrame();
    PanelInput shown = input();
    shown.phase = phase;
    if (over_plot) {
      ImGui::SetNextWindowPos(ImVec2(0, 0));
      ImGui::SetNextWindowSize(ImVec2(400, 300));
      ImGui::Begin("shelf", nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove);
      show_finding_plots(shown);
      ImGui::End();
    } else {
      read(shown, kWhole, double(kSeconds));
    }
    ImGui::Render();
  }
};

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  const char* at = line.c_str() + line.find(' ');
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) return numbers;
    numbers.push_back(number);
  }
}

}  // namespace

TEST_CASE("Ctrl, Shift and a drag draw a lasso, and turn nothing", "[brush][window]") {
  LassoHand hand;
  hand.drag({{100, 100}, {200, 100}, {300, 100}, {300, 200}, {100, 200}}, true, true);
  REQUIRE(hand.emitted.size() == 1);
  REQUIRE(hand.emitted[0].starts_with("select_lasso "));
  const std::vector<double> corners = numbers_of(hand.emitted[0]);
  REQUIRE(corners.size() == 10);
  CHECK(corners[0] == Approx(-0.25));
  CHECK(corners[1] == Approx(0.125));
  CHECK(corners[8] == Approx(-0.25));
  CHECK(corners[9] == Approx(-0.125));
  // Two places are no line around anything; with Shift alone the picture moves.
  hand.emitted.clear();
  hand.drag({{100, 100}, {150, 100}}, true, true);
  CHECK(hand.emitted.empty());
  hand.drag({{100, 100}, {150, 100}}, false, true);
  REQUIRE_FALSE(hand.emitted.empty());
  CHECK(hand.emitted[0].starts_with("pan "));
}

TEST_CASE("Shift and a drag over a phase diagram brush it", "[brush][window]") {
  LassoHand hand;
  auto made = std::make_shared<analysis::Measurement>();
  analysis::Plot plot;
  plot.name = "phase";
  plot.x = {"Density", analysis::AxisScale::Linear};
  plot.y = {"Temperature", analysis::AxisScale::Linear};
  plot.particles = analysis::PlotParticles{"Density", "Temperature"};
  plot.map = analysis::PlotMap{{0, 1, 2}, {0, 1, 2}, {1, 2, 3, 4}, {}};
  made->plots.push_back(plot);
  hand.phase.made = made;
  hand.state.phase = session::PhaseState{};
  hand.over_plot = true;
  hand.drag({{120, 60}, {180, 100}, {260, 140}}, false, true);
  REQUIRE(hand.emitted.size() == 1);
  REQUIRE(hand.emitted[0].starts_with("brush phase "));
  const std::vector<double> limits = numbers_of(hand.emitted[0].substr(6));
  REQUIRE(limits.size() == 4);
  CHECK(limits[0] < limits[1]);
  CHECK(limits[2] < limits[3]);
}

}  // namespace haloscope::app::viewer
