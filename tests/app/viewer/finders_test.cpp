// Two analyses beside each other in the window: what is typed, zoomed and filtered of one is none
// of the other's, and each is spoken of in its own words.

#include "analysis/halos/mass_function_plot.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/plots/finding_plots.h"
#include "tests/app/session/fake_actions.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"
#include "tests/made/slab_finder.h"

#include <algorithm>
#include <functional>
#include <imgui_internal.h>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// Halos, slabs and the height of particles, of which one is listed.
struct Two {
  analysis::AddedFinder slabs{std::make_shared<test::SlabFinder>()};
  analysis::AddedFinder height{std::make_shared<test::HeightFinder>()};
  analysis::Finding finding = test::many_halos(50);
  bool found = true;
  std::string words;  // of the last frame
  test::Hand hand;

  explicit Two(const std::function<void(const PanelInput&)>& show)
      : hand([this, show](const PanelInput& input) {
          PanelInput mine = input;
          mine.finding = found ? &finding : nullptr;
          ImGui::LogToBuffer();
          show(mine);
          words = ImGui::GetCurrentContext()->LogBuffer.c_str();
          ImGui::LogFinish();
        }) {}

  void list(const std::string& finder) {
    finding.finder = hand.state.shown_finder = finder;
    hand.rest(2);
  }
  bool says(const std::string& part) const { return words.find(part) != std::string::npos; }
};

}  // namespace

TEST_CASE("plots of two finders have their own zooms and files", "[window][finders]") {
  Two two(show_finding_plots);
  two.finding.plots = {analysis::mass_function_plot(
      analysis::bin_masses(std::vector<double>{1e12, 1e12, 3e13}, 1e6, 0.2), 32, {})};
  two.list("halos");
  ImGui::GetIO().MousePos = ImVec2(200, 80);
  two.hand.rest(1);
  ImGui::GetIO().MouseWheel += 1;
  two.hand.rest(1);
  two.list("slabs");
  auto& finders = two.hand.memory.finders;
  CHECK(finders["halos"].plots["mass_function"].limits);
  CHECK_FALSE(finders["slabs"].plots["mass_function"].limits);
  CHECK(std::string(finders["halos"].plot_files["mass_function"].data()) ==
        "halos_mass_function.svg");
  CHECK(std::string(finders["slabs"].plot_files["mass_function"].data()) ==
        "slabs_mass_function.svg");
}

TEST_CASE("a button of a plot brings that plot into view", "[window][finders]") {
  const auto named = [](const char* name) {
    analysis::Plot plot;
    plot.name = name;
    plot.layers.resize(1);
    plot.layers[0].points = {{0, 0}, {1, 1}};
    return plot;
  };
  const std::vector<analysis::Plot> plots{named("mass_function"), named("spin"), named("shapes")};
  Two two(show_find_panel);
  two.finding.plots = plots;
  two.list("halos");
  // From below, for options that are unfolded on the way would push the buttons down.
  for (float y = 690; y > 60; y -= 9)
    for (float x = 20; x < 320; x += 30) two.hand.click(x, y);
  const auto& lines = two.hand.emitted;
  for (const analysis::Plot& one : plots)
    CHECK(std::find(lines.begin(), lines.end(), "shelf plots " + one.name) != lines.end());
  // In a narrow shelf the one that was asked for is seen, and no other.
  Two shelf(show_finding_plots);
  shelf.finding.plots = plots;
  shelf.hand.state.layout.plot = "spin";
  shelf.list("halos");
  const auto seen = [&](const char* name) {
    return shelf.hand.memory.finders["halos"].plot_files.count(name) > 0;
  };
  CHECK(seen("spin"));
  CHECK_FALSE(seen("shapes"));
  // Of what is not there, the first.
  shelf.hand.state.layout.plot = "betti_0";
  shelf.hand.rest(2);
  CHECK_FALSE(seen("shapes"));
  CHECK(seen("mass_function"));
}

TEST_CASE("the list of each finder has its own filter", "[window][finders]") {
  Two two(show_piece_table);
  two.hand.memory.finders["halos"].at_least = 40;
  two.list("halos");
  CHECK(two.hand.memory.piece_order.pieces().size() == 11);
  two.list("slabs");
  CHECK(two.hand.memory.piece_order.pieces().size() == 50);
}

TEST_CASE("each finder's catalog has its own name", "[window][finders]") {
  Two two(show_find_panel);
  two.list("halos");
  two.hand.memory.finders["halos"].catalog_file = {"mine.hdf5"};
  two.list("slabs");
  CHECK(two.says("Write catalog"));
  CHECK(std::string(two.hand.memory.finders["slabs"].catalog_file.data()) == "slabs.hdf5");
  CHECK(std::string(two.hand.memory.finders["halos"].catalog_file.data()) == "mine.hdf5");
}

TEST_CASE("members are chosen of the finder that is listed", "[window][finders]") {
  Two two(show_selection_panel);
  two.hand.memory.selection.typed.kind = session::SelectionKind::Piece;
  two.hand.memory.finders["halos"].piece = 49;
  two.list("halos");
  two.finding.pieces = 4;
  two.list("slabs");
  CHECK(two.says("Slab"));
  CHECK(two.says("Selected slab's"));
  CHECK(two.hand.memory.finders["halos"].piece == 49);
  CHECK(two.hand.memory.finders["slabs"].piece == 0);
}

TEST_CASE("overlays are called by what is listed", "[window][finders]") {
  Two two(show_camera_panel);
  two.list("halos");
  CHECK(two.says("Halo numbers"));
  two.list("slabs");
  CHECK(two.says("Slabs"));
  CHECK(two.says("Slab numbers"));
  CHECK_FALSE(two.says("Halo"));
  two.list("height");
  CHECK(two.says("Circles"));
  session::State state = two.hand.state;
  test::FakeActions actions;
  session::run_command("overlay pieces off", state, actions);
  CHECK_FALSE(state.overlays.pieces);
  session::run_command("overlay halos on", state, actions);
  CHECK(state.overlays.pieces);
}

TEST_CASE("a radius is offered by the name that the finding gives it", "[window][finders]") {
  Two two(show_selection_panel);
  two.hand.memory.selection.typed.kind = session::SelectionKind::Sphere;
  two.finding.columns[2].title = "Half width";
  two.list("slabs");
  CHECK(two.says("Half width"));
  CHECK_FALSE(two.says("R200"));
  two.finding.radius_column.reset();
  two.list("slabs");
  CHECK(two.says("About the center"));
  CHECK_FALSE(two.says("Half width"));
  two.found = false;
  two.list("slabs");
  CHECK_FALSE(two.says("R200"));
}

TEST_CASE("what finds no pieces is spoken of by its name", "[window][finders]") {
  const std::vector<std::function<void(const PanelInput&)>> parts{
      show_find_panel, show_piece_table, show_finding_plots, show_selection_panel};
  std::string all;
  for (const auto& part : parts) {
    Two two(part);
    two.hand.memory.selection.typed.kind = session::SelectionKind::Piece;
    two.found = false;
    two.list("height");
    all += two.words;
  }
  INFO(all);
  for (const char* words :
       {"Find height",
        "Press Find at the right, then Find height: what it finds has no rows, and its plots are "
        "on "
        "the page Plots.",
        "Press Find at the right, then Find height: its plots will be drawn here.",
        "What height finds has no members."})
    CHECK(all.find(words) != std::string::npos);
  CHECK(all.find("by particle") == std::string::npos);
  CHECK(all.find("Find particle") == std::string::npos);
}

TEST_CASE("a field that was found has its color's settings on the page Find", "[window][finders]") {
  Two two(show_find_panel);
  two.finding = {};
  two.finding.fields["x"].limits = {2, 5};
  two.hand.state.finding("height").color_particles = true;
  two.hand.state.finding("height").color_field = "x";
  two.list("height");
  for (const char* words : {"Color map", "Scale", "Limits", "Auto limits", "Write values"})
    CHECK(two.says(words));
  for (float y = 20; y < 500; y += 9)
    for (float x = 20; x < 140; x += 30) two.hand.click(x, y);
  const auto& lines = two.hand.emitted;
  CHECK(std::find(lines.begin(), lines.end(), "auto_limits height") != lines.end());
  CHECK(std::find(lines.begin(), lines.end(), "export height \"height.hdf5\"") != lines.end());
}

}  // namespace haloscope::app::viewer
