#include "app/viewer/panels/page_words.h"

#include "app/viewer/viewer.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <string>

// Faults of what pages, keys and the mouse ask for name no command and none of its arguments.

namespace haloscope::app::viewer {

namespace {

std::string told_on_a_page(const std::string& line) {
  const session::Call call = session::parse_command(line);
  test::FakeActions actions;
  session::State state;
  state.camera = session::Camera{};
  for (const double seconds : {0., 1.}) state.path.push_back({seconds, *state.camera, 0, {}, 0});
  if (call.command->name == "preview_path") state.path.pop_back();
  try {
    session::run_command(call, state, actions);
    return {};
  } catch (const Error& error) {
    return in_words_of_pages(call, error.what());
  }
}

}  // namespace

TEST_CASE("a page's fault names no command", "[window][bad]") {
  CHECK(told_on_a_page("move_key 2 2e6") == "seconds must lie between 0 and 1e6");
  CHECK(told_on_a_page("move_key 2 0") == "another key is at that time");
  CHECK(told_on_a_page("preview_path") == "a path needs two keys or more: press Add key");
  CHECK(told_on_a_page("export_frames film.mp4 0") == "fps must lie between 0 and 1000");
  CHECK(told_on_a_page("select_value Density 5 1") == "low must be smaller than high");
  CHECK(told_on_a_page("limits gas 5 1") ==
        "the lower limit of gas must be smaller than the upper one, but 5 is not smaller than 1");
}

TEST_CASE("a page's fault names options by their titles", "[window][bad]") {
  CHECK(told_on_a_page("find halos attach=none linking_length=0") ==
        "Linking length must be a positive number");
  CHECK(told_on_a_page("find halos attach=none min_members=0")
            .starts_with("Min. members must be 1 or more"));
  CHECK(told_on_a_page("find halos attach=none epsilon=0").starts_with("Linking length "));
}

TEST_CASE("a line of the user's own has the command's words, a page its own", "[window][bad]") {
  Viewer viewer({}, [] {});
  viewer.update(1);
  viewer.push("preview_path");
  viewer.update(2);
  CHECK(viewer.panel_input(1).notice == "a path needs two keys or more: press Add key");
  viewer.enter("preview_path");
  viewer.update(3);
  CHECK(viewer.panel_input(1).notice == "preview_path: a path needs two keys or more: add_key");
}

}  // namespace haloscope::app::viewer
