#include "app/viewer/viewer.h"
#include "tests/app/viewer/sample_window.h"
#include "tests/catch.h"

#include <string>

// What the line at the lower edge of the picture tells of the place under the cursor.

namespace haloscope::app::viewer {

namespace {

using Window = test::SampleWindow;
constexpr session::PicturePoint kMiddle{0, 0};

// Once it is told.
std::string words_at(Window& window, session::PicturePoint at) {
  std::string words;
  window.comes([&] {
    words = window.viewer.under_cursor(at);
    return !words.empty();
  });
  return words;
}

}  // namespace

TEST_CASE("the point under the cursor and its structure are told once they are known",
          "[window][cursor]") {
  Window window;
  CHECK(window.viewer.under_cursor(kMiddle).empty());
  const std::string words = words_at(window, kMiddle);
  REQUIRE_FALSE(words.empty());
  CHECK(words.find("peak") == std::string::npos);
  CHECK(window.viewer.under_cursor(kMiddle) == words);
  window.viewer.push("find peaks grid=24 persistence=mean:20");
  REQUIRE(window.comes_to_rest());
  CHECK(words_at(window, kMiddle).find("   peak ") != std::string::npos);
}

TEST_CASE("nothing is told of the place under the cursor by a camera that has moved on",
          "[window][cursor]") {
  Window window;
  const std::string before = words_at(window, kMiddle);
  REQUIRE_FALSE(before.empty());
  // The cursor has left the picture meanwhile, and comes back to the same place.
  window.viewer.push("pan 0.3 0.1");
  REQUIRE(window.comes_to_rest());
  CHECK(window.viewer.under_cursor(kMiddle).empty());
  const std::string after = words_at(window, kMiddle);
  CHECK_FALSE(after.empty());
  CHECK(after != before);
}

TEST_CASE("nothing is told of the place under the cursor while another picture is to come",
          "[window][cursor]") {
  Window window;
  REQUIRE_FALSE(words_at(window, kMiddle).empty());
  window.viewer.push("zoom 1.2");
  window.viewer.update(window.now += 0.05);
  CHECK(window.viewer.under_cursor(kMiddle).empty());
}

}  // namespace haloscope::app::viewer
