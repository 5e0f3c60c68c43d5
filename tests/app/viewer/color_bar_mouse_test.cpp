#include "app/viewer/frame/frame.h"
#include "app/viewer/frame/frame_parts.h"
#include "app/viewer/overlays/overlays.h"
#include "tests/app/viewer/picture_hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <imgui.h>
#include <memory>
#include <string>
#include <vector>

// A press on a color bar opens the limits of its colors.

namespace haloscope::app::viewer {

namespace {

class Window final : public test::PictureHand {
 public:
  Window() : PictureHand(kWidth, kHeight) {
    state.overlays.pieces = false;
    picture.camera = *state.camera;
#if IMGUI_VERSION_NUM < 18700
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_Enter, ImGuiKey_Escape})
      ImGui::GetIO().KeyMap[key] = key;
#endif
    rest(3);
  }

  PictureFacts picture;
  std::shared_ptr<analysis::Finding> finding;  // that is listed; null: none
  analysis::ParticleColors colors;
  render::ShownSlice slice;

  void click(ImVec2 at) {
    ImGui::GetIO().MousePos = at;
    rest(1);
    press_button();
    rest(3);
  }
  void double_click(ImVec2 at) {
    ImGui::GetIO().MousePos = at;
    rest(1);
    press_button();
    press_button();
    rest(3);
  }
  void type(const std::string& letters) {
    for (const char letter : letters) ImGui::GetIO().AddInputCharacter(unsigned(letter));
    rest(1);
  }
  void press(ImGuiKey key) {
    for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
      ImGui::GetIO().AddKeyEvent(key, down);
#else
      ImGui::GetIO().KeysDown[key] = down;
#endif
      rest(2);
    }
  }
  // Into the fields that have the keys.
  void type_limits(const std::string& low, const std::string& high) {
    type(low);
    press(ImGuiKey_Tab);
    type(high);
    press(ImGuiKey_Enter);
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
    rest(1);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = true;
    rest(1);
    ImGui::GetIO().MousePos = to;
    rest(2);
    ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = false;
    rest(2);
  }
  // 8 frames: until a click is no double-click any more.
  void rest(int count = 8) {
    for (int k = 0; k < count; ++k) frame();
  }

 private:
  static constexpr float kWidth = 940, kHeight = 500;

  void press_button() {
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = down;
      rest(1);
    }
  }

  void obey(const std::string& line) override {
    using session::InspectorPage;
    if (line == "inspector look") session::show_page(state.layout, InspectorPage::Look);
    if (line == "inspector find") session::show_page(state.layout, InspectorPage::Find);
    if (line.starts_with("structures ")) state.shown_finder = line.substr(11);
  }

  void frame() {
    constexpr float kSeconds = 0.1f;
    ImGui::GetIO().DeltaTime = kSeconds;
    ImGui::NewFrame();
    PanelInput shown = input();
    shown.picture = &picture;
    if (finding && finding->finder == state.shown_finder) shown.finding = finding.get();
    shown.colors = colors;
    shown.slice = slice;
    if (slice)
      shown.grid = session::SceneFacts::GridFacts{{{0, 0, 0}, {100, 100, 100}},
                                                  compute::splotch::Transform::Log};
    const PictureArea area = arrange(state.layout, kWidth, kHeight, 1).picture;
    read(shown, area, double(kSeconds));
    draw_overlays(shown, area);
    show_frame(shown, kWidth, kHeight);
    ImGui::Render();
  }
};

// Particles that are colored by a field of the halos, which are not listed.
void color_by_halos(Window& window) {
  window.finding = std::make_shared<analysis::Finding>(test::many_halos(3));
  analysis::ParticleField& gap = window.finding->fields["gap"];
  gap.limits = {2, 50};
  gap.values[0].assign(3, 4.f);
  window.colors = {window.finding, "gap", {}};
  session::FindingState& state = window.state.finding("halos");
  state.color_particles = true;
  state.color_field = "gap";
  window.state.shown_finder = "clusters";
}

void lay_slice(Window& window) {
  window.state.slice.axis = 2;
  window.state.slice.position = 20;
  analysis::GridPlane plane;
  plane.name = "density";
  plane.values = {1};
  window.slice.plane = std::make_shared<const analysis::GridPlane>(plane);
  window.slice.automatic = {compute::splotch::Transform::Log, -1, 3};
  window.slice.choice = window.state.slice;
}

}  // namespace

TEST_CASE("a press on a color bar lets its limits be typed at once", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  const ImVec2 gas = window.bar("gas");
  window.click(gas);
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(window.memory.open_types[0]);
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_limits("1e4", "1e7");
  CHECK(window.emitted.back() == "limits gas 10000 10000000");
  // The page is open already, and another type's limits are asked for.
  window.emitted.clear();
  const ImVec2 dm = window.bar("dm");
  window.click(dm);
  CHECK(window.emitted.empty());
  CHECK(window.memory.opened_type == 1);
  CHECK(ImGui::GetIO().WantTextInput);
}

TEST_CASE("a press on a color bar of the picture alone brings the inspector back", "[window]") {
  Window window;
  window.state.layout.sides = window.state.layout.bars = false;
  const ImVec2 gas = window.bar("gas");
  window.click(gas);
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK(window.memory.wanted_limits.empty());
}

TEST_CASE("beside the color bars a press does what it did", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  const ImVec2 gas = window.bar("gas");
  window.state.finding("halos").selected = 2;
  window.click(ImVec2(gas.x + 300, gas.y));
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
  window.click(gas);
  CHECK(window.emitted.empty());
  CHECK(window.memory.color_bars.empty());
}

TEST_CASE("a press on the color bar of a finder opens its limits on the page Find", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  color_by_halos(window);
  window.rest();
  // Types have no bars then.
  CHECK(window.memory.color_bars.size() == 1);
  window.click(window.bar("halos"));
  CHECK(window.emitted == std::vector<std::string>{"structures halos", "inspector find"});
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_limits("3", "40");
  CHECK(window.emitted.back() == "limits halos 3 40");
  CHECK(window.memory.wanted_limits.empty());
}

TEST_CASE("a press on the color bar of a slice opens its limits where the grid is", "[window]") {
  Window window;
  window.state.shown_finder = "halos";
  lay_slice(window);
  window.finding = std::make_shared<analysis::Finding>(test::many_halos(3));
  window.finding->finder = "peaks";
  window.rest();
  CHECK(window.memory.color_bars.size() == 3);
  window.click(window.bar("slice"));
  CHECK(window.emitted == std::vector<std::string>{"structures peaks", "inspector find"});
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_limits("0.5", "200");
  CHECK(window.emitted.back() == "limits slice 0.5 200");
}

TEST_CASE("a press on the color bar of a map opens its limits on the page Look", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  window.state.map.shown = true;
  window.picture.map_color = compute::splotch::Ranging{compute::splotch::Transform::Log, -2, 4};
  window.rest();
  CHECK(window.memory.color_bars.size() == 1);
  window.click(window.bar("map"));
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_limits("0.1", "900");
  CHECK(window.emitted.back() == "limits map 0.1 900");
}

TEST_CASE("a double-click on a color bar opens its limits, and moves no picture", "[window]") {
  Window window;
  window.state.layout.inspector_open = false;
  const ImVec2 gas = window.bar("gas");
  window.double_click(gas);
  window.rest();
  CHECK(window.centered == 0);
  CHECK(window.emitted == std::vector<std::string>{"inspector look"});
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_limits("1e4", "1e7");
  CHECK(window.emitted.back() == "limits gas 10000 10000000");
  // Beside it the picture goes there.
  window.double_click(ImVec2(gas.x + 300, gas.y));
  CHECK(window.centered == 1);
}

}  // namespace haloscope::app::viewer
