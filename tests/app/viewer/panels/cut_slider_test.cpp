// The slider of cuts and the branches of a plot under a hand.

#include "app/viewer/panels/cut_slider.h"

#include "analysis/clusters/clusters_options.h"
#include "app/viewer/plots/finding_plots.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

analysis::Finding cut_clusters() {
  analysis::Finding clusters = test::many_halos(20);
  clusters.finder = "clusters";
  clusters.options = analysis::ClustersOptions{};
  clusters.cut = analysis::CutScale{1e-5, 1e-1, 1e-3, "Mpc", {{"0.2 mean spacings", 1e-2}}};
  return clusters;
}

// A tree of two branches in one.
analysis::Plot tree_plot() {
  analysis::Plot plot;
  plot.name = "dendrogram";
  plot.x = {"clusters", analysis::AxisScale::Linear, 1, -1, 2};
  plot.y = {"height", analysis::AxisScale::Linear, 1, 0, 10};
  plot.layers.resize(1);
  plot.layers[0].points = {{0.5, 10}, {0.5, 5}};
  plot.branches = {
      {-1, 2, 5, 10, 0, "all"}, {-1, 0.5, 0, 5, 7, "left"}, {0.5, 2, 0, 5, 8, "right"}};
  return plot;
}

test::Hand hand_at(analysis::Finding& finding, void (*show)(const PanelInput&)) {
  return test::Hand([&finding, show](const PanelInput& input) {
    PanelInput mine = input;
    mine.finding = &finding;
    show(mine);
  });
}

}  // namespace

TEST_CASE("heights of cuts have six digits and do not pass the last merge", "[window][cuts]") {
  const analysis::CutScale cut{0.1, 2.0 / 3, {}, "", {}};
  CHECK(cut_at(cut, 0.123456789) == "distance:0.123457");
  CHECK(cut_at(cut, 2.0 / 3) == "distance:0.6666666666666666");
  CHECK(cut_at(cut, 5) == "distance:0.6666666666666666");
  CHECK(cut_at(cut, 1.0 / 3) == "distance:0.333333");
}

TEST_CASE("the slider shows what was asked for, beyond its ends too", "[window][cuts]") {
  analysis::CutScale cut{0.1, 115.7, 200, "", {}};
  CHECK(cut_in_words(cut) == "200");
  cut.unit = "kpc/h";
  cut.at = 1;
  CHECK(cut_in_words(cut) == "1 kpc/h");
  cut.asked = "mean:200";
  CHECK(cut_in_words(cut) == "mean:200");
  cut.at.reset();
  cut.asked.clear();
  CHECK(cut_in_words(cut) == "none");
}

TEST_CASE("a drag of the slider asks for cuts over the whole range", "[window][cuts]") {
  analysis::Finding finding = cut_clusters();
  test::Hand hand = hand_at(finding, show_cut_slider);
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = ImVec2(100, 20);
  hand.rest(2);
  io.MouseDown[ImGuiMouseButton_Left] = true;
  hand.rest(2);
  for (float x = 0; x < 340; x += 4) {
    io.MousePos = ImVec2(x, 20);
    // The same height is asked for once.
    hand.rest(2);
  }
  io.MouseDown[ImGuiMouseButton_Left] = false;
  hand.rest(2);
  REQUIRE(hand.emitted.size() > 20);
  CHECK(hand.emitted.front().starts_with("cut clusters distance:"));
  CHECK(hand.emitted[1] == "cut clusters distance:1e-05");
  CHECK(hand.emitted.back() == "cut clusters distance:0.1");
  for (std::size_t k = 1; k < hand.emitted.size(); ++k)
    CHECK(hand.emitted[k] != hand.emitted[k - 1]);
}

TEST_CASE("where nothing can be cut there is no slider, and none takes a cut back",
          "[window][cuts]") {
  analysis::Finding finding = cut_clusters();
  {
    test::Hand hand = hand_at(finding, show_cut_slider);
    for (float y = 30; y < 60; y += 6) hand.click(30, y);
    REQUIRE_FALSE(hand.emitted.empty());
    CHECK(hand.emitted.back() == "cut clusters off");
  }
  finding.cut.reset();
  test::Hand hand = hand_at(finding, show_cut_slider);
  for (float y = 0; y < 100; y += 6) hand.click(100, y);
  CHECK(hand.emitted.empty());
}

TEST_CASE("a click on a branch of a plot selects it, and a drag does not", "[window][cuts]") {
  analysis::Finding finding = cut_clusters();
  finding.plots = {tree_plot()};
  finding.branches = std::make_shared<const analysis::FoundBranches>();
  test::Hand hand = hand_at(finding, show_finding_plots);
  hand.state.shown_finder = "clusters";
  hand.rest(2);
  const auto click = [&](float x, float y) {
    hand.emitted.clear();
    hand.click(x, y);
    hand.rest(60);  // no double-click
    return hand.emitted.empty() ? std::string() : hand.emitted.back();
  };
  CHECK(click(110, 100) == "select_branch clusters 0");
  CHECK(click(110, 500) == "select_branch clusters 7");
  CHECK(click(300, 500) == "select_branch clusters 8");
  ImGuiIO& io = ImGui::GetIO();
  hand.emitted.clear();
  io.MousePos = ImVec2(110, 100);
  hand.rest(1);
  io.MouseDown[ImGuiMouseButton_Left] = true;
  hand.rest(1);
  io.MousePos = ImVec2(150, 120);
  hand.rest(1);
  io.MouseDown[ImGuiMouseButton_Left] = false;
  hand.rest(60);
  CHECK(hand.emitted.empty());
  CHECK(hand.memory.finders["clusters"].plots["dendrogram"].limits);
  // What is pressed without a finding that has branches is nothing.
  finding.branches.reset();
  CHECK(click(110, 500).empty());
}

TEST_CASE("the line of the cut in a plot is dragged", "[window][cuts]") {
  analysis::Finding finding = cut_clusters();
  analysis::Plot plot = tree_plot();
  plot.branches.clear();
  plot.x = {"height", analysis::AxisScale::Log, 1, 1e-5, 1e-1};
  plot.marks.push_back({"this cut", 1e-3, true, true});
  finding.plots = {plot};
  test::Hand hand = hand_at(finding, show_finding_plots);
  hand.state.shown_finder = "clusters";
  hand.rest(2);
  ImGuiIO& io = ImGui::GetIO();
  // The line is near the middle of the window.
  for (float x = 150; x < 240 && hand.emitted.empty(); x += 4) {
    io.MousePos = ImVec2(x, 100);
    hand.rest(1);
    io.MouseDown[ImGuiMouseButton_Left] = true;
    hand.rest(1);
    io.MousePos = ImVec2(x + 20, 100);
    hand.rest(1);
    io.MouseDown[ImGuiMouseButton_Left] = false;
    hand.rest(60);
    hand.memory.finders["clusters"].plots.clear();
  }
  REQUIRE(hand.emitted.size() == 1);
  CHECK(hand.emitted[0].starts_with("cut clusters distance:0.00"));
}

}  // namespace haloscope::app::viewer
