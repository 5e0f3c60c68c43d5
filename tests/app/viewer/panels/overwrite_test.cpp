#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <functional>
#include <string>

// Pages that write files, and whether these may replace files of others.

namespace haloscope::app::viewer {

namespace {

// Presses all that stands in a column until a line begins so; the last such line.
std::string pressed(test::Hand& hand, const std::string& beginning) {
  hand.emitted.clear();
  for (float y = 4; y < 690; y += 6) {
    hand.click(30, y);
    hand.press(ImGuiKey_Escape);
  }
  std::string line;
  for (const std::string& made : hand.emitted)
    if (made.starts_with(beginning)) line = made;
  return line;
}

// Whether a press somewhere in the column changes what is asked for.
bool has_box(test::Hand& hand) {
  for (float y = 690; y > 4; y -= 6) {
    hand.click(14, y);
    hand.press(ImGuiKey_Escape);
    if (hand.memory.overwrite) return true;
  }
  return false;
}

void check_page(test::Hand& hand, const std::string& command) {
  INFO(command);
  hand.memory.overwrite = false;
  CHECK(has_box(hand));
  // The column has the box too: the line is asked for once with and once without.
  const auto lines = [&] {
    pressed(hand, command);
    return hand.emitted;
  };
  const auto made = lines();
  CHECK(std::any_of(made.begin(), made.end(), [&](const std::string& line) {
    return line.starts_with(command) && line.ends_with(" overwrite");
  }));
}

}  // namespace

TEST_CASE("pages that write have a box for files of others, and say so in their command",
          "[window]") {
  const analysis::Finding halos = test::many_halos(3);
  {
    test::Hand find([&](const PanelInput& input) {
      PanelInput with = input;
      with.finding = &halos;
      show_find_panel(with);
    });
    check_page(find, "export halos ");
  }
  {
    test::Hand path(show_path_panel);
    path.state.path.resize(1);
    check_page(path, "save_path ");
  }
  test::Hand selection(show_selection_panel);
  selection.state.selection.kind = analysis::SelectionKind::Sphere;
  selection.state.selection.radius = 1;
  check_page(selection, "export_selection ");
}

}  // namespace haloscope::app::viewer
