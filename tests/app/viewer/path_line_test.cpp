#include "app/viewer/overlays/path_line.h"

#include "app/session/camera_motion.h"
#include "app/viewer/overlays/picture_mouse.h"
#include "core/vector_math.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <string>
#include <vector>

// The camera path in the picture, and a click on its keys.

namespace haloscope::app::viewer {

namespace {

const PictureArea kArea{0, 0, 400, 300};

// Two cameras on a quarter of a circle about the middle of the box, seen from far above.
struct Path {
  test::DryUi ui{400, 300};
  session::State state;
  SceneModel scene = test::box_model();
  PictureFacts picture;
  PanelMemory memory;
  std::vector<LogLine> log;
  std::vector<std::string> emitted;

  Path() {
    const session::Camera first{true, {50, 50, 50}, 40, {}, 40, 100};
    session::KeyState a, b;
    a.camera = session::orbit(first, 0, -90);
    b.camera = session::orbit(a.camera, 90, 0);
    b.seconds = 2;
    state.path = {a, b};
    state.overlays.path = true;
    state.camera = picture.camera = session::Camera{true, {50, 50, 50}, 400, {}, 40, 100};
  }
  PanelInput input() {
    return {state,    &scene, nullptr,
            &picture, {},     log,
            memory,   {},     [this](const std::string& line) { emitted.push_back(line); }};
  }
};

}  // namespace

TEST_CASE("the path goes through the places of its cameras", "[window][path]") {
  Path path;
  const auto places = path_places(path.state, path.picture.camera);
  REQUIRE(places.size() == 49);
  CHECK(places.front() == session::eye_of(path.state.path[0].camera));
  CHECK(places.back() == session::eye_of(path.state.path[1].camera));
  const Vec middle{50, 50, 50};
  double least = 1e9, most = 0;
  for (const Vec& place : places) {
    const double away = length(minus(place, middle));
    least = std::min(least, away);
    most = std::max(most, away);
  }
  // An arc, as the camera flies it, and no chord: that would come within 28 of the middle.
  CHECK(least > 39);
  CHECK(most < 41);
  // Where a set is followed, the path goes along with the middle of the picture.
  path.state.follow = "core";
  session::Camera shown = path.picture.camera;
  shown.center = {60, 50, 50};
  const auto moved = path_places(path.state, shown);
  CHECK(moved.front()[0] == Approx(places.front()[0] + 10));
  // Keys that make no path are joined as they are.
  path.state.path[1].camera.perspective = false;
  CHECK(path_places(path.state, path.picture.camera).size() == 2);
  path.state.path.clear();
  CHECK(path_places(path.state, path.picture.camera).empty());
}

TEST_CASE("a click on a key of the path shows what the key shows", "[window][path]") {
  Path path;
  const auto keys = seen_keys(path.input(), kArea);
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].number == 1);
  CHECK(path_key_under(path.input(), kArea, keys[1].x + 3, keys[1].y - 3) == 2);
  CHECK_FALSE(path_key_under(path.input(), kArea, keys[1].x + 30, keys[1].y));
  MouseMemory mouse;
  double now = 1;
  const auto frame = [&](bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 0.5f;  // no double-click
    io.MousePos = ImVec2(keys[1].x, keys[1].y);
    io.MouseDown[ImGuiMouseButton_Left] = down;
    ImGui::NewFrame();
    read_mouse(path.input(), kArea, now, mouse, {});
    ImGui::Render();
    now += 0.5;
  };
  for (const bool down : {false, true, false, false}) frame(down);
  CHECK(path.emitted == std::vector<std::string>{"go_to_key 2"});
  path.state.overlays.path = false;
  CHECK(seen_keys(path.input(), kArea).empty());
  for (const bool down : {true, false, false}) frame(down);
  CHECK(path.emitted.size() == 1);
}

}  // namespace haloscope::app::viewer
