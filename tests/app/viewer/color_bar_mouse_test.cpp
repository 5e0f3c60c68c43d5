#include "app/session/command_table.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/frame/frame_parts.h"
#include "app/viewer/overlays/overlays.h"
#include "app/viewer/overlays/picture_mouse.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <algorithm>
#include <imgui.h>
#include <string>
#include <vector>

// A press on a color bar opens the limits of its colors.

namespace haloscope::app::viewer {

namespace {

class Window {
 public:
  Window() {
    state.camera = session::Camera{true, {50, 50, 50}, 200, {}, 40, 100};
    state.overlays.pieces = false;
    picture_.camera = *state.camera;
#if IMGUI_VERSION_NUM < 18700
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_Enter, ImGuiKey_Escape})
      ImGui::GetIO().KeyMap[key] = key;
#endif
    frames(3);
  }

  session::State state;
  PanelMemory memory;
  std::vector<std::string> emitted;

  void click(float x, float y) {
    ImGui::GetIO().MousePos = ImVec2(x, y);
    frames(1);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = true;
    frames(1);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = false;
    frames(4);
  }
  void type(const std::string& letters) {
    for (const char letter : letters) ImGui::GetIO().AddInputCharacter(unsigned(letter));
    frames(1);
  }
  void press(ImGuiKey key) {
    for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
      ImGui::GetIO().AddKeyEvent(key, down);
#else
      ImGui::GetIO().KeysDown[key] = down;
#endif
      frames(2);
    }
  }
  // The middle of the bar of `target`.
  ImVec2 bar(const std::string& target) const {
    const auto place = std::find_if(memory.color_bars.begin(), memory.color_bars.end(),
                                    [&](const auto& one) { return one.target == target; });
    REQUIRE(place != memory.color_bars.end());
    return ImVec2((place->left + place->right) / 2, (place->top + place->bottom) / 2);
  }
  void drag(ImVec2 from, ImVec2 to) {
    ImGui::GetIO().MousePos = from;
    frames(1);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = true;
    frames(1);
    ImGui::GetIO().MousePos = to;
    frames(2);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = false;
    frames(2);
  }
  // Until a click is no double-click any more.
  void rest() {
    frames(8);
  }

 private:
  void frames(int count) {
    for (int k = 0; k < count; ++k) frame();
  }
  void frame() {
    ImGui::GetIO().DeltaTime = 0.1f;
    ImGui::NewFrame();
    const PanelInput input{
        state, &scene_, nullptr, &picture_, {}, log_, memory, {}, [this](const std::string& line) {
          session::parse_command(line);  // throws for what is none
          emitted.push_back(line);
          if (line == "inspector look")
            session::show_page(state.layout, session::InspectorPage::Look);
        }};
    const PictureArea picture = arrange(state.layout, 940, 500, 1).picture;
    read_mouse(input, picture, now_ += 0.1, mouse_, {[](double, double) {}, [](double, double) {}});
    draw_overlays(input, picture);
    show_frame(input, 940, 500);
    ImGui::Render();
  }

  test::DryUi ui_{940, 500};
  SceneModel scene_ = test::box_model();
  PictureFacts picture_;
  MouseMemory mouse_;
  std::vector<LogLine> log_;
  double now_ = 1;
};

}  // namespace

TEST_CASE("a press on a color bar lets its limits be typed at once", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  const ImVec2 gas = window.bar("gas");
  window.click(gas.x, gas.y);
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(window.memory.open_types[0]);
  CHECK(ImGui::GetIO().WantTextInput);
  window.type("1e4");
  window.press(ImGuiKey_Tab);
  window.type("1e7");
  window.press(ImGuiKey_Enter);
  CHECK(window.emitted.back() == "limits gas 10000 10000000");
  // The page is open already, and another type's limits are asked for.
  window.emitted.clear();
  const ImVec2 dm = window.bar("dm");
  window.click(dm.x, dm.y);
  CHECK(window.emitted.empty());
  CHECK(window.memory.opened_type == 1);
  CHECK(ImGui::GetIO().WantTextInput);
}

TEST_CASE("a press on a color bar of the picture alone brings the inspector back", "[window]") {
  Window window;
  window.state.layout.sides = window.state.layout.bars = false;
  const ImVec2 gas = window.bar("gas");
  window.click(gas.x, gas.y);
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK(window.memory.wanted_limits.empty());
}

TEST_CASE("beside the color bars a press does what it did", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  const ImVec2 gas = window.bar("gas");
  window.state.finding("halos").selected = 2;
  window.click(gas.x + 300, gas.y);
  window.rest();
  CHECK(window.emitted == std::vector<std::string>{"select halos"});
  CHECK(window.memory.wanted_limits.empty());
  window.emitted.clear();
  // A drag that ends on a bar turns the picture.
  window.drag(ImVec2(gas.x + 300, gas.y), gas);
  window.rest();
  REQUIRE_FALSE(window.emitted.empty());
  CHECK(window.emitted.front().starts_with("orbit"));
  CHECK(window.memory.wanted_limits.empty());
  window.state.finding("halos").selected.reset();
  window.emitted.clear();
  // Where no color bars are drawn there is none to press.
  window.state.overlays.color_bar = false;
  window.click(gas.x, gas.y);
  CHECK(window.emitted.empty());
  CHECK(window.memory.color_bars.empty());
}

}  // namespace haloscope::app::viewer
