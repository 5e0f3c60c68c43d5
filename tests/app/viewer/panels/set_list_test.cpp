#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

// The list of sets under a hand: every button of it gives its command.

using namespace haloscope::app;
using haloscope::test::Hand;

namespace {

haloscope::analysis::NamedSet named(const std::string& name) {
  haloscope::analysis::NamedSet set;
  set.name = name;
  set.color = haloscope::analysis::next_color({});
  set.first.selection.kind = haloscope::analysis::SelectionKind::Sphere;
  set.first.selection.radius = 1;
  return set;
}

// Clicks everywhere, but not where a list or a chooser of colors would open.
std::set<std::string> emitted_by_clicks(Hand& hand) {
  hand.emitted.clear();
  for (float y = 4; y < 140; y += 6)
    for (float x = 12; x < Hand::kWidth - 4; x += 10) {
      hand.click(x, y);
      hand.press(ImGuiKey_Escape);
      hand.state.show_sets = haloscope::analysis::ShowSets::Highlight;
    }
  return {hand.emitted.begin(), hand.emitted.end()};
}

}  // namespace

TEST_CASE("the list of sets gives commands", "[window][sets]") {
  Hand hand(viewer::show_set_list);
  // Without a set or a selection there is nothing to show.
  CHECK(emitted_by_clicks(hand).empty());
  hand.state.selection.kind = haloscope::analysis::SelectionKind::Sphere;
  const std::set<std::string> modes{"show_sets off", "show_sets highlight", "show_sets dim",
                                    "show_sets only"};
  CHECK(emitted_by_clicks(hand) == modes);
  hand.state.sets = {named("a"), named("b b")};
  hand.state.sets[0].shown = false;
  hand.state.sets.push_back(named("c"));
  hand.state.sets[2].first = {"a", {}};
  std::set<std::string> all = modes;
  // "a" cannot be removed before "c".
  hand.state.follow = "c";
  all.insert({"follow \"a\"", "follow \"b b\"", "follow off", "show_set \"a\" on",
              "show_set \"b b\" off", "show_set \"c\" off", "remove_set \"b b\"",
              "remove_set \"c\""});
  const auto emitted = emitted_by_clicks(hand);
  for (const std::string& line : all) {
    CAPTURE(line);
    CHECK(emitted.count(line) == 1);
  }
  CHECK(emitted.count("remove_set \"a\"") == 0);
}

TEST_CASE("Enter keeps a selection under the name that was typed", "[window][sets]") {
  Hand hand(viewer::show_set_list);
  const auto enter = [&] {
    hand.click(40, hand.find_field(40));
    hand.type("core");
    hand.press(ImGuiKey_Enter);
  };
  // Nothing is selected that could be kept.
  enter();
  CHECK(hand.emitted.empty());
  hand.memory.set.name = {};
  hand.state.selection.kind = haloscope::analysis::SelectionKind::Sphere;
  enter();
  // The way to the field leads over the modes.
  std::erase_if(hand.emitted, [](const auto& line) { return line.starts_with("show_sets"); });
  CHECK(hand.emitted == std::vector<std::string>{"set \"core\""});
  CHECK(hand.memory.set.name[0] == 0);
}

TEST_CASE("a selection is kept under the name that was typed", "[window][sets]") {
  Hand hand(viewer::show_set_list);
  hand.state.selection.kind = haloscope::analysis::SelectionKind::Sphere;
  const std::string name = "my \"set\"";
  name.copy(hand.memory.set.name.data(), name.size());
  for (float y = 4; y < 160 && hand.emitted.empty(); y += 6) {
    hand.click(40, y);
    hand.emitted.erase(std::remove_if(hand.emitted.begin(), hand.emitted.end(),
                                      [](const auto& line) { return line.rfind("show", 0) == 0; }),
                       hand.emitted.end());
  }
  CHECK(hand.emitted == std::vector<std::string>{"set \"my \\\"set\\\"\""});
  CHECK(hand.memory.set.name[0] == 0);
}
