#include "app/viewer/viewer.h"
#include "tests/catch.h"

// A fault is seen over the picture for a while, and the loop wakes to take it away.

namespace haloscope::app::viewer {

TEST_CASE("a fault is shown for ten seconds, and the next one in its place", "[window]") {
  Viewer viewer({}, [] {});
  viewer.update(1);
  CHECK(viewer.panel_input(1).notice.empty());
  CHECK_FALSE(viewer.wake_at());
  viewer.push("orbti 1 2");
  viewer.update(2);
  CHECK(viewer.panel_input(1).notice.find("did you mean 'orbit'") != std::string::npos);
  REQUIRE(viewer.wake_at());
  CHECK(*viewer.wake_at() == 11);
  viewer.push("fit");
  viewer.update(5);
  CHECK(viewer.panel_input(1).notice.find("no snapshot is open") != std::string::npos);
  CHECK(*viewer.wake_at() == 15);
  viewer.update(14.9);
  CHECK_FALSE(viewer.panel_input(1).notice.empty());
  viewer.update(15);
  CHECK(viewer.panel_input(1).notice.empty());
  CHECK_FALSE(viewer.wake_at());
  // The log keeps them.
  CHECK(viewer.panel_input(1).log.size() == 2);
}

}  // namespace haloscope::app::viewer
