#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <set>
#include <string>

// The dialog of settings: every choice is a command.

namespace haloscope::app::viewer {

TEST_CASE("each choice in the settings gives a command", "[window][settings]") {
  test::Hand hand([](const PanelInput& input) {
    PanelInput with = input;
    with.recent = {"a.hdf5"};
    with.line.history = {"fit"};
    show_settings(with, 800, 700);
  });
  hand.memory.open["settings"] = true;
  hand.width = 60;  // beside the dialog, which a click there would cover
  hand.rest(3);
  std::set<std::string> given;
  for (float y = 180; y < 540; y += 7)
    for (float x = 110; x < 480; x += 25) {
      hand.memory.open["settings"] = true;
      hand.click(x, y);
    }
  for (const std::string& line : hand.emitted) given.insert(line);
  for (const char* line :
       {"ui_scale 1.5", "start_size now", "start_size last", "keep_lengths beside",
        "keep_lengths cache", "keep_lengths nowhere", "forget files", "forget commands"}) {
    INFO(line);
    CHECK(given.contains(line));
  }
}

}  // namespace haloscope::app::viewer
