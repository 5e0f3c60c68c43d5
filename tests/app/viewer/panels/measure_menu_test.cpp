// What the menu asks for when it is pressed.

#include "app/viewer/panels/measure_menu.h"

#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <string>

namespace haloscope::app::viewer {

namespace {

// What the button sends off first.
std::string press_measure(test::Hand& hand) {
  for (float y = 4; y < test::Hand::kHeight && hand.emitted.empty(); y += 6) {
    hand.click(30, y);
    hand.press(ImGuiKey_Escape);
  }
  return hand.emitted.empty() ? std::string() : hand.emitted.front();
}

}  // namespace

TEST_CASE("the menu measures about the row of a catalog that was asked for last",
          "[window][measuring]") {
  test::Hand hand(show_measure_menu);
  session::ProfileState asked;
  asked.options.structure = 3;
  asked.options.catalog = "halos.hdf5";
  asked.options.table = "Group";
  hand.state.profile = asked;
  hand.rest(2);
  const std::string line = press_measure(hand);
  CHECK(line.starts_with("profile "));
  CHECK(line.find(" structure=3") != std::string::npos);
  CHECK(line.find(" catalog=halos.hdf5") != std::string::npos);
  CHECK(line.find(" table=Group") != std::string::npos);
  CHECK(line.find("center=") == std::string::npos);
}

TEST_CASE("without a point to be read the menu measures about the middle of the picture",
          "[window][measuring]") {
  test::Hand hand(show_measure_menu);
  // As a state file may have it.
  session::ProfileState asked;
  asked.options.center = "1,2";
  hand.state.profile = asked;
  hand.rest(2);
  CHECK(press_measure(hand).find("center=50,50,50") != std::string::npos);
  CHECK(hand.told.empty());
}

}  // namespace haloscope::app::viewer
