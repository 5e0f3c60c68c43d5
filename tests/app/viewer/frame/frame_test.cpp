#include "app/viewer/frame/frame.h"

#include "app/session/command_table.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <imgui.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A mouse on what stands around the picture.

namespace haloscope::app::viewer {

namespace {

constexpr float kWidth = 1280, kHeight = 800;
constexpr float kBar = 14;  // the middle of the top bar

// What is pressed is done, as in a session.
class Frame {
 public:
  Frame() {
    state.snapshots = {"a.hdf5", "b.hdf5"};
    rest();
  }

  session::State state;
  PanelMemory memory;
  std::string notice;
  bool fault = false;
  SeriesMoments moments;
  std::vector<std::string> emitted;

  FrameParts parts() const { return arrange(state.layout, kWidth, kHeight, 1); }
  void click(float x, float y) { drag(x, y, y); }
  void drag(float x, float from, float to) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(x, from);
    rest();
    io.MouseDown[ImGuiMouseButton_Left] = true;
    rest();
    // The last step comes with the release, as it may in a window.
    for (int k = 1; k <= 8; ++k) {
      io.MousePos.y = from + (to - from) * float(k) / 8;
      if (k < 8) rest();
    }
    io.MouseDown[ImGuiMouseButton_Left] = false;
    rest();
  }
  void rest() {
    for (int k = 0; k < 2; ++k) {
      ImGui::NewFrame();
      PanelInput input{
          state,   &scene_, nullptr,
          nullptr, {},      log_,
          memory,  {},      [this](const std::string& line) { asked_.push_back(line); }};
      input.notice = notice;
      input.notice_is_fault = fault;
      input.moments = &moments;
      show_frame(input, kWidth, kHeight);
      ImGui::Render();
      for (const std::string& line : asked_) {
        emitted.push_back(line);
        if (!line.starts_with("panel file")) run(line);
      }
      asked_.clear();
    }
  }
  void drag_along(float y, float from, float to) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(from, y);
    rest();
    io.MouseDown[ImGuiMouseButton_Left] = true;
    rest();
    for (int k = 1; k <= 8; ++k) {
      io.MousePos.x = from + (to - from) * float(k) / 8;
      rest();
    }
    io.MouseDown[ImGuiMouseButton_Left] = false;
    rest();
  }
  // Left and right end of what makes lines that begin so, in the top bar; empty: nothing does.
  std::optional<std::pair<float, float>> find(const std::string& line) {
    const session::State before = state;
    std::optional<std::pair<float, float>> found;
    for (float x = 2; x < kWidth; x += 6) {
      emitted.clear();
      click(x, kBar);
      for (const std::string& made : emitted)
        if (made.starts_with(line)) found = {found ? found->first : x, x};
      memory.open["file"] = false;
      state = before;
    }
    emitted.clear();
    rest();
    return found;
  }
  // Whether something lies over the picture there.
  bool covered(float x, float y) {
    ImGui::GetIO().MousePos = ImVec2(x, y);
    rest();
    return ImGui::GetIO().WantCaptureMouse;
  }

 private:
  // What cannot be done is told to the user, and changes nothing.
  void run(const std::string& line) {
    try {
      session::run_command(line, state, actions_);
    } catch (const Error&) {
    }
  }

  test::DryUi ui_{kWidth, kHeight};
  SceneModel scene_ = test::box_model();
  test::FakeActions actions_;
  std::vector<LogLine> log_;
  std::vector<std::string> asked_;
};

}  // namespace

TEST_CASE("the shelf's edge follows the mouse, and stops at its limits", "[window]") {
  Frame frame;
  frame.state.layout.shelf_open = true;
  frame.rest();
  const float bottom = frame.parts().status.y, room = bottom - frame.parts().top.height;
  frame.drag(400, frame.parts().shelf.y + 2, bottom - 0.4f * room);
  CHECK(frame.state.layout.shelf_height == Approx(0.4).margin(0.01));
  frame.drag(400, frame.parts().shelf.y + 2, 0);
  CHECK(frame.state.layout.shelf_height == session::kHighestShelf);
  // A press that does not move changes nothing.
  frame.emitted.clear();
  frame.click(400, frame.parts().shelf.y + 2);
  CHECK(frame.emitted.empty());
}

TEST_CASE("a word opens its page, closes it, and pins it with Ctrl", "[window]") {
  using session::InspectorPage;
  Frame frame;
  const auto press = [&](int row) {
    const Area words = frame.parts().words;
    frame.click(words.x + words.width / 2, words.y + 18 + 33 * float(row));
    return frame.state.layout;
  };
  CHECK(press(1).page == InspectorPage::Camera);
  ImGui::GetIO().KeyCtrl = true;
  CHECK(press(4).pinned == InspectorPage::Film);
  CHECK_FALSE(press(4).pinned);
  ImGui::GetIO().KeyCtrl = false;
  CHECK_FALSE(press(1).shows_inspector());
  CHECK(press(0).shows_inspector());
  CHECK(frame.emitted == std::vector<std::string>{"inspector camera", "inspector film pin",
                                                  "inspector film pin", "inspector off",
                                                  "inspector look"});
}

TEST_CASE("what was done is told in the status line, and goes at a press on it", "[window]") {
  Frame frame;
  const Area picture = frame.parts().picture, status = frame.parts().status;
  const float x = picture.width / 2, y = picture.y + picture.height - 70;
  frame.notice = "Wrote /data/still.png, 3840x2160";
  frame.click(100, status.y - 5);
  CHECK_FALSE(frame.memory.notice_pressed);
  frame.click(100, status.y + 12);
  CHECK(frame.memory.notice_pressed);
  const auto is_over_picture = [&] {
    frame.memory.notice_pressed = false;
    const Area area = frame.parts().picture;
    frame.click(area.width / 2, area.y + area.height - 70);
    return frame.memory.notice_pressed;
  };
  CHECK_FALSE(is_over_picture());
  // What is longer than the line, or finds none, stands over the picture.
  frame.state.layout.bars = false;
  CHECK(is_over_picture());
  frame.state.layout.bars = true;
  for (const std::string& words : {std::string(300, 'm'), std::string("two\nlines of a fault")}) {
    frame.notice = words;
    frame.rest();
    CHECK(is_over_picture());
  }
  // It takes no press away from the picture.
  CHECK_FALSE(frame.covered(x, y));
}

TEST_CASE("the file's sheet hangs from the top bar until something else is pressed", "[window]") {
  Frame frame;
  const Area picture = frame.parts().picture;
  CHECK_FALSE(frame.covered(100, picture.y + 40));
  frame.memory.open["file"] = true;
  frame.rest();
  CHECK(frame.covered(100, picture.y + 40));
  frame.click(100, picture.y + 40);
  CHECK(frame.emitted.empty());
  frame.click(700, picture.y + 300);
  CHECK(frame.emitted == std::vector<std::string>{"panel file"});
}

TEST_CASE("the series is clicked, dragged and rolled along its bar", "[window]") {
  Frame frame;
  frame.state.snapshots = {"a", "b", "c", "d", "e"};
  const auto bar = frame.find("show_snapshot");
  REQUIRE(bar);
  const auto [left, right] = *bar;
  CHECK(right - left > 100);
  frame.drag_along(kBar, left + 2, right - 2);
  using Lines = std::vector<std::string>;
  // Each on the way once.
  CHECK(frame.emitted ==
        Lines{"show_snapshot 1", "show_snapshot 2", "show_snapshot 3", "show_snapshot 4"});
  // By their moments two of them are near the beginning.
  frame.moments = {SeriesMoment{0.1, "z = 9.00"}, SeriesMoment{0.15, "z = 5.67"},
                   SeriesMoment{0.2, "z = 4.00"}, SeriesMoment{0.8, "z = 0.25"},
                   SeriesMoment{1.0, "z = 0.00"}};
  frame.click(left + 0.74f * (right - left), kBar);
  CHECK(frame.state.current == 3);
  frame.emitted.clear();
  ImGui::GetIO().MouseWheel = 1;
  frame.rest();
  CHECK(frame.emitted == Lines{"show_snapshot 4"});
  frame.emitted.clear();
  for (const float turned : {1.f, -0.5f, -0.5f, -2.f}) {
    ImGui::GetIO().MouseWheel = turned;
    frame.rest();
  }
  CHECK(frame.emitted == Lines{"show_snapshot 3", "show_snapshot 1"});
  // One snapshot is no series.
  frame.state.snapshots = {"a"};
  frame.state.current = 0;
  CHECK_FALSE(frame.find("show_snapshot"));
}

TEST_CASE("the top bar has a button for each look that the snapshot has particles for",
          "[window]") {
  Frame frame;
  const auto gas = frame.find("show_look gas");
  REQUIRE(gas);
  CHECK(frame.find("show_look dark_matter"));
  CHECK_FALSE(frame.find("show_look stars"));
  const auto composite = frame.find("show_look composite");
  REQUIRE(composite);
  CHECK(composite->first > gas->second);
  const session::State first = frame.state;
  frame.click(gas->first + 6, kBar);
  CHECK(frame.state.type(1).shown == false);
  frame.click(composite->first + 6, kBar);
  CHECK(frame.state == first);
  // The map is another picture of the same particles.
  const auto map = frame.find("show_look map");
  REQUIRE(map);
  CHECK(map->first > composite->second);
  frame.click(map->first + 6, kBar);
  CHECK(frame.state.map.shown);
  frame.click(gas->first + 6, kBar);
  CHECK_FALSE(frame.state.map.shown);
}

TEST_CASE("the sheet of files goes when what it opened is there, and stays at a fault",
          "[window]") {
  Frame frame;
  frame.memory.open["file"] = true;
  const std::string former = frame.state.snapshots[0];
  const auto ask = [&](const std::string& path) {
    frame.emitted.clear();
    frame.memory.asked_to_open = ImGui::GetFrameCount();
    frame.state.snapshots = {path};
    frame.rest();
  };
  // The picture is still that of the snapshot before.
  ask("/data/other.hdf5");
  CHECK(frame.emitted.empty());
  ask("/data/snap_099.hdf5");
  REQUIRE_FALSE(frame.emitted.empty());
  CHECK(frame.emitted[0] == "panel file");
  frame.notice = "no such file";
  frame.fault = true;
  ask("/data/snap_099.hdf5");
  CHECK(frame.emitted.empty());
  frame.notice.clear();
  frame.rest();
  CHECK(frame.emitted.empty());
}

}  // namespace haloscope::app::viewer
