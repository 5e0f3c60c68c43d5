#include "app/session/numbered_file.h"
#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <array>
#include <fstream>
#include <set>
#include <string>

// The page Output under a hand.

namespace haloscope::app::viewer {

TEST_CASE("a press chooses the pixels of stills and films", "[window]") {
  test::Hand hand(show_export_panel);
  hand.memory.still_size = {640, 480};
  std::set<std::array<int, 2>> sizes;
  std::set<std::string> lines;
  // The buttons stand below the fields, and "Write still" below them.
  for (float y = 4; y < 60; y += 4)
    for (float x = 12; x < test::Hand::kWidth - 20; x += 12) {
      hand.click(x, y);
      hand.press(ImGuiKey_Escape);
      sizes.insert(hand.memory.still_size);
    }
  CHECK(sizes ==
        std::set<std::array<int, 2>>{{640, 480}, {1920, 1080}, {3840, 2160}, {7680, 4320}});
  // As large as what is seen, where that is known.
  test::Hand beside([](const PanelInput& input) {
    PanelInput with = input;
    with.picture_size = {921, 748};
    show_export_panel(with);
  });
  bool taken = false;
  for (float y = 4; y < 90 && !taken; y += 4) {
    beside.click(40, y);
    beside.press(ImGuiKey_Escape);
    taken = beside.memory.still_size == std::array<int, 2>{921, 748};
  }
  CHECK(taken);
  hand.memory.still_size = {3840, 2160};
  for (float y = 60; y < 160; y += 4) {
    hand.click(40, y);
    hand.press(ImGuiKey_Escape);
  }
  lines.insert(hand.emitted.begin(), hand.emitted.end());
  CHECK(lines.count("screenshot \"still.png\" overlays 3840x2160") == 1);
}

TEST_CASE("a film has pixels of its own", "[window]") {
  test::Hand hand(show_export_panel);
  hand.state.path.resize(2);
  hand.memory.still_size = {3840, 2160};
  for (float y = 150; y < 300; y += 4) {
    hand.click(40, y);
    hand.press(ImGuiKey_Escape);
    hand.memory.film_size = {1920, 1080};  // the buttons for sizes lie on the way
    hand.memory.film_overlays = true;
  }
  const std::set<std::string> lines(hand.emitted.begin(), hand.emitted.end());
  CHECK(lines.count("export_frames \"film.mp4\" 30 \"\" 1920x1080 on") == 1);
  CHECK(hand.memory.still_size == std::array<int, 2>{3840, 2160});
}

TEST_CASE("a still that is there is replaced where the box says so, else counted up", "[window]") {
  const test::OutputFolder folder;
  const std::string still = folder.path("still.png");
  CHECK(session::free_file(still) == still);
  const auto lines = [&](bool overwrite) {
    test::Hand hand(show_export_panel);
    hand.memory.still_file = {};
    still.copy(hand.memory.still_file.data(), hand.memory.still_file.size() - 1);
    hand.memory.overwrite = overwrite;
    for (float y = 60; y < 160; y += 4) {
      hand.click(40, y);
      hand.press(ImGuiKey_Escape);
      hand.memory.overwrite = overwrite;
    }
    return std::set<std::string>(hand.emitted.begin(), hand.emitted.end());
  };
  const auto line = [&](const char* name, const char* end) {
    return "screenshot \"" + folder.path(name) + "\" overlays 3840x2160" + end;
  };
  CHECK(lines(false).count(line("still.png", "")) == 1);
  std::ofstream(folder.path("still.png")) << "a still";
  CHECK(lines(false).count(line("still-0002.png", "")) == 1);
  std::ofstream(folder.path("still-0002.png")) << "another one";
  CHECK(lines(false).count(line("still-0003.png", "")) == 1);
  CHECK(lines(true).count(line("still.png", " overwrite")) == 1);
}

}  // namespace haloscope::app::viewer
