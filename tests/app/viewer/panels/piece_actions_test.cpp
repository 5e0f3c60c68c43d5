#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <imgui.h>
#include <string>
#include <vector>

// What the page Find offers for one piece by one press, and what a comparison brings into view.

namespace haloscope::app::viewer {

namespace {

struct FindPage {
  analysis::Finding found = test::many_halos(3);
  bool searched_before = false;
  test::Hand hand{[this](const PanelInput& input) {
    PanelInput mine = input;
    mine.finding = &found;
    mine.searched_before = searched_before;
    show_find_panel(mine);
  }};

  FindPage() { hand.state.layout.shelf_height = 0.4; }

  // The commands that follow one another where a line that begins so was emitted first.
  std::vector<std::string> emitted_by(const std::string& begin, std::size_t count) {
    for (float y = 690; y > 4; y -= 7)
      for (float x = 12; x < test::Hand::kWidth - 20; x += 24) {
        hand.emitted.clear();
        hand.memory.finders["halos"].draft.unfolded = false;
        hand.click(x, y);
        hand.press(ImGuiKey_Escape);
        const auto first =
            std::find_if(hand.emitted.begin(), hand.emitted.end(),
                         [&](const std::string& line) { return line.starts_with(begin); });
        if (first == hand.emitted.end()) continue;
        const auto left = std::size_t(hand.emitted.end() - first);
        return {first, first + std::ptrdiff_t(std::min(left, count))};
      }
    return {};
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the page Find flies to the largest halo, and to the one that is chosen", "[window]") {
  FindPage page;
  CHECK(page.emitted_by("one_step on", 4) ==
        Lines{"one_step on", "select halos 0", "fly_to halos 0", "one_step off"});
  page.hand.state.finding("halos").selected = 2;
  CHECK(page.emitted_by("fly_to", 2) == Lines{"fly_to halos 2", "one_step off"});
}

TEST_CASE("a press measures the profile of a halo and shows it", "[window]") {
  FindPage page;
  CHECK(page.emitted_by("profile", 2) == Lines{"profile halos 0", "shelf plots profile_density"});
  page.hand.state.finding("halos").selected = 1;
  CHECK(page.emitted_by("profile", 2) == Lines{"profile halos 1", "shelf plots profile_density"});
}

TEST_CASE("a press follows the members of the chosen halo, and shows them", "[window][sets]") {
  FindPage page;
  // Of one snapshot there is nowhere to follow them to.
  page.hand.state.snapshots = {"a"};
  CHECK(page.emitted_by("select_members", 1).empty());
  page.hand.state.snapshots = {"a", "b"};
  CHECK(page.emitted_by("select_members", 1) == Lines{"select_members 0 followed"});
  page.hand.state.finding("halos").selected = 1;
  CHECK(page.emitted_by("select_members", 2) ==
        Lines{"select_members 1 followed", "show_sets highlight"});
  page.hand.state.show_sets = analysis::ShowSets::Dim;
  CHECK(page.emitted_by("select_members", 2) == Lines{"select_members 1 followed", "one_step off"});
  auto& selection = page.hand.state.selection;
  selection.kind = analysis::SelectionKind::Piece;
  selection.finder = "halos";
  selection.piece = 1;
  selection.follow_ids = true;
  CHECK(page.emitted_by("select_members", 1).empty());
  // Another snapshot's, or another search's, is another halo.
  page.hand.state.current = 1;
  CHECK(page.emitted_by("select_members", 1) == Lines{"select_members 1 followed"});
  page.hand.state.current = 0;
  analysis::HaloOptions other;
  other.min_members = 7;
  selection.search = other;
  CHECK(page.emitted_by("select_members", 1) == Lines{"select_members 1 followed"});
  selection.search = page.hand.state.shown().options;
  CHECK(page.emitted_by("select_members", 1).empty());
  // Another one's are followed.
  selection.piece = 0;
  CHECK(page.emitted_by("select_members", 1) == Lines{"select_members 1 followed"});
}

TEST_CASE("a comparison shows the counts of both, in a shelf that has room", "[window]") {
  FindPage page;
  page.searched_before = true;
  CHECK(page.emitted_by("compare", 3) == Lines{"compare halos", "shelf plots compared_counts"});
  page.hand.state.layout.shelf_height = 0.25;
  CHECK(page.emitted_by("compare", 3) ==
        Lines{"compare halos", "shelf plots compared_counts", "shelf_height 0.4"});
}

}  // namespace haloscope::app::viewer
