#pragma once

#include "app/session/command_table.h"
#include "app/viewer/panels/panel_input.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"

#include <functional>
#include <imgui.h>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::test {

// A hand at mouse and keyboard, and a part of a panel in a window of its own.
class Hand {
 public:
  static constexpr float kWidth = 340, kHeight = 700;

  explicit Hand(std::function<void(const app::viewer::PanelInput&)> show) : show_(std::move(show)) {
    state.camera = app::session::Camera{true, {50, 50, 50}, 200, {}, 40, 100};
#if IMGUI_VERSION_NUM < 18700
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_Enter, ImGuiKey_Escape, ImGuiKey_Backspace})
      ImGui::GetIO().KeyMap[key] = key;
#endif
    rest(2);
  }

  app::session::State state;
  app::viewer::PanelMemory memory;
  float width = kWidth;  // of the window
  std::vector<std::string> emitted;
  std::vector<std::string> told;

  // Left of the labels, in the column where fields stand.
  void click(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(x, y);
    rest(1);
    io.MouseDown[ImGuiMouseButton_Left] = true;
    rest(1);
    io.MouseDown[ImGuiMouseButton_Left] = false;
    rest(2);
  }
  void type(const std::string& letters) {
    for (const char letter : letters) ImGui::GetIO().AddInputCharacter(unsigned(letter));
    rest(1);
  }
  void press(ImGuiKey key) {
    set(key, true);
    rest(1);
    set(key, false);
    rest(3);
  }
  // The place of the nth field that takes letters, from above.
  float find_field(float x, int nth = 0) {
    bool inside = false;
    for (float y = 4; y < kHeight; y += 3) {
      click(x, y);
      const bool field = ImGui::GetIO().WantTextInput;
      press(ImGuiKey_Escape);
      if (field && !inside && nth-- == 0) return y + 6;
      inside = field;
    }
    return -1;
  }
  void rest(int frames) {
    for (int k = 0; k < frames; ++k) frame();
  }

 private:
  static void set(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddKeyEvent(key, down);
#else
    ImGui::GetIO().KeysDown[key] = down;
#endif
  }

  void frame() {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(width, kHeight));
    ImGui::Begin("part", nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove);
    ImGui::PushItemWidth(-110);
    app::viewer::PanelInput input{
        state, &scene_, nullptr, nullptr, {}, log_, memory, {}, [this](const std::string& line) {
          app::session::parse_command(line);  // throws for what is none
          emitted.push_back(line);
        }};
    input.complain = [this](const std::string& fault) { told.push_back(fault); };
    show_(input);
    ImGui::PopItemWidth();
    ImGui::End();
    ImGui::Render();
  }

  DryUi ui_{kWidth, kHeight};
  std::function<void(const app::viewer::PanelInput&)> show_;
  app::viewer::SceneModel scene_ = box_model();
  std::vector<app::viewer::LogLine> log_;
};

}  // namespace haloscope::test
