#include "analysis/topology/peaks_options.h"
#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <imgui.h>
#include <memory>
#include <set>
#include <string>

// What the page Find offers for peaks beside single options.

namespace haloscope::app::viewer {

namespace {

struct PeaksPage {
  bool has_grid = false;
  render::ShownSlice slice;
  analysis::Finding found = test::many_halos(3);
  test::Hand hand{[this](const PanelInput& input) {
    PanelInput mine = input;
    if (has_grid) mine.finding = &found;
    if (has_grid)
      mine.grid = session::SceneFacts::GridFacts{{{0, 0, 0}, {100, 100, 100}},
                                                 compute::splotch::Transform::Log};
    mine.slice = slice;
    show_find_panel(mine);
  }};

  PeaksPage() {
    found.finder = "peaks";
    hand.state.shown_finder = "peaks";
    hand.rest(2);
  }
  const analysis::PeaksOptions& typed() {
    return hand.memory.finders["peaks"].draft.options.as<analysis::PeaksOptions>();
  }
  bool emits(const std::string& begin) const {
    return std::any_of(hand.emitted.begin(), hand.emitted.end(),
                       [&](const std::string& line) { return line.starts_with(begin); });
  }
};

}  // namespace

TEST_CASE("a preset sets the options of halos or of voids", "[window][peaks]") {
  PeaksPage page;
  // Below the choice of what is searched for.
  const float y = 8 + 1.5f * ImGui::GetFrameHeightWithSpacing();
  std::set<std::string> chosen;
  for (float below = 0; below < 90; below += 6) {
    page.hand.click(60, y);
    page.hand.click(60, y + below);
    page.hand.press(ImGuiKey_Escape);
    const analysis::PeaksOptions options = page.typed();
    const bool halos = options.halos == "82,200", voids = options.voids == "0.2,0.2";
    chosen.insert(halos ? "halos" : voids ? "voids" : "peaks");
    CHECK_FALSE((halos && voids));
    CHECK((options.levels == compute::topology::Levels::Sub) == voids);
    CHECK((options.smooth == analysis::kVoidSmoothing) == voids);
  }
  CHECK(chosen == std::set<std::string>{"halos", "peaks", "voids"});
}

TEST_CASE("the slice is moved and colored on the page of the peaks", "[window][slice]") {
  PeaksPage page;
  page.has_grid = true;
  // From below, for options that are unfolded on the way would push the slice down.
  const auto press_all = [&] {
    page.hand.memory.finders["peaks"].draft.unfolded = false;
    for (float y = 690; y > 4; y -= 8)
      for (const float x : {30.f, 130.f}) {
        page.hand.click(x, y);
        page.hand.press(ImGuiKey_Escape);
      }
  };
  press_all();
  CHECK_FALSE(page.emits("slice_opacity"));
  page.hand.emitted.clear();
  page.hand.state.slice.axis = 1;
  page.hand.state.slice.position = 20;
  analysis::GridPlane plane;
  plane.values = {1};
  page.slice.plane = std::make_shared<const analysis::GridPlane>(plane);
  page.slice.choice = page.hand.state.slice;
  press_all();
  CHECK(page.emits("slice y "));
  CHECK(page.emits("slice_opacity "));
  CHECK(page.emits("auto_limits slice"));
}

}  // namespace haloscope::app::viewer
