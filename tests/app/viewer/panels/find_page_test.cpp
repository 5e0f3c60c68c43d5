#include "analysis/halos/halo_options.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/search_draft.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <imgui.h>
#include <string>

// The fields of the page Find: what begins a search, and whether a result is of what they say.

namespace haloscope::app::viewer {

namespace {

std::size_t searches(const test::Hand& hand) {
  return std::size_t(
      std::count_if(hand.emitted.begin(), hand.emitted.end(),
                    [](const std::string& line) { return line.starts_with("find halos"); }));
}

}  // namespace

TEST_CASE("Enter in a field of the options searches, as the button does", "[window][find]") {
  test::Hand hand(show_find_panel);
  hand.state.shown_finder = "halos";
  hand.rest(2);
  const float y = hand.find_field(40);
  REQUIRE(y > 0);
  hand.emitted.clear();
  const auto type_and_leave = [&](const char* text, ImGuiKey key) {
    hand.click(40, y);
    hand.type(text);
    hand.press(key);
  };
  type_and_leave("0.15", ImGuiKey_Enter);
  REQUIRE(searches(hand) == 1);
  CHECK(hand.emitted.back().find("linking_length=0.15") != std::string::npos);
  type_and_leave("0.17", ImGuiKey_Escape);
  CHECK(searches(hand) == 1);
  hand.press(ImGuiKey_Enter);
  CHECK(searches(hand) == 1);
  // What is no number is told, and searched for by nobody.
  hand.told.clear();
  type_and_leave("soon", ImGuiKey_Enter);
  CHECK(searches(hand) == 1);
  CHECK(hand.told.size() == 1);
  type_and_leave("-1", ImGuiKey_Enter);
  CHECK(searches(hand) == 1);
  REQUIRE(hand.told.size() == 2);
  CHECK(hand.told.back() == "Linking length must be a positive number");
}

TEST_CASE("what is wrong with the linking length is told by the field's title", "[window][find]") {
  test::Hand hand(show_find_panel);
  hand.state.shown_finder = "halos";
  hand.rest(2);
  const float y = hand.find_field(40);
  REQUIRE(y > 0);
  const auto told = [&](const std::string& text) {
    hand.told.clear();
    hand.click(40, y);
    hand.type(text);
    if (text.empty()) hand.press(ImGuiKey_Backspace);
    hand.press(ImGuiKey_Tab);
    return hand.told.empty() ? std::string() : hand.told.front();
  };
  CHECK(told("abc") == "Linking length: 'abc' is not a number");
  CHECK(told("") == "Linking length is empty: type a number");
}

TEST_CASE("a result is told from one of other options than those in the fields", "[window][find]") {
  const SceneModel scene = test::box_model();
  const analysis::Finder& finder = analysis::require_finder("halos");
  session::State state;
  session::FindingState& halos = state.finding("halos");
  const analysis::AnyOptions searched = finder.options();
  halos.options = searched;
  halos.searched = true;
  SearchDraft draft;
  draft.follow(halos, finder, scene.info, nullptr);
  CHECK(asks_for(draft, finder, scene.info, searched));
  auto typed = draft.options.as<analysis::HaloOptions>();
  typed.min_members = 77;
  draft.options = typed;
  CHECK_FALSE(asks_for(draft, finder, scene.info, searched));
  typed.min_members = searched.as<analysis::HaloOptions>().min_members;
  draft.options = typed;
  CHECK(asks_for(draft, finder, scene.info, searched));
  draft.lists["types"] = {'g', 'a', 's', ',', 's', 't', 'a', 'r', 's'};
  CHECK_FALSE(asks_for(draft, finder, scene.info, searched));
}

}  // namespace haloscope::app::viewer
