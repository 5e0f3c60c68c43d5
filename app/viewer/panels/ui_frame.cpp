#include "app/viewer/panels/ui_frame.h"

#include "app/viewer/panels/theme.h"

#include <algorithm>
#include <cstddef>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <iterator>

namespace haloscope::app::viewer {

UiFrame::UiFrame(GLFWwindow* window, float scale)
    : window_(window), context_([] {
        IMGUI_CHECKVERSION();
        ImGuiContext* const former = ImGui::GetCurrentContext();
        ImGuiContext* const made = ImGui::CreateContext();
        ImGui::SetCurrentContext(former);
        return made;
      }()) {
  enter();
  // Sizes of panels are the session's business, not of a file in the working folder.
  ImGui::GetIO().IniFilename = nullptr;
  apply_theme(scale);
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 450 core");
  leave();
}

UiFrame::~UiFrame() {
  enter();
  ImGui_ImplOpenGL3_Shutdown();
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGuiContext* const former = former_;
  ImGui::DestroyContext(context_);
  ImGui::SetCurrentContext(former == context_ ? nullptr : former);
}

void UiFrame::enter() {
  former_ = ImGui::GetCurrentContext();
  ImGui::SetCurrentContext(context_);
}

void UiFrame::leave() {
  // A window's callbacks come between frames and go to its own context.
  ImGui::SetCurrentContext(window_ ? context_ : former_);
}

void UiFrame::begin(int width, int height, double seconds) {
  enter();
  ImGui_ImplOpenGL3_NewFrame();
  if (window_) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(width), float(height));
    io.DeltaTime = float(std::max(seconds, 1e-6));
  }
  hold_pressed_keys();
  ImGui::NewFrame();
}

void UiFrame::note_press([[maybe_unused]] int key) {
#if IMGUI_VERSION_NUM < 18700
  if (key >= 0) pressed_.push_back(key);
#endif
}

void UiFrame::hold_pressed_keys() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  for (const int key : pressed_)
    if (std::size_t(key) < std::size(io.KeysDown) && !io.KeysDown[key]) {
      io.KeysDown[key] = true;
      held_.push_back(key);
    }
  pressed_.clear();
  if (!held_.empty()) set_modifiers();
#endif
}

// As the backend does when it hears of a key.
void UiFrame::set_modifiers() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  const bool* const down = io.KeysDown;
  io.KeyCtrl = down[GLFW_KEY_LEFT_CONTROL] || down[GLFW_KEY_RIGHT_CONTROL];
  io.KeyShift = down[GLFW_KEY_LEFT_SHIFT] || down[GLFW_KEY_RIGHT_SHIFT];
  io.KeyAlt = down[GLFW_KEY_LEFT_ALT] || down[GLFW_KEY_RIGHT_ALT];
#endif
}

bool UiFrame::has_events() const {
#if IMGUI_VERSION_NUM >= 18700
  return !context_->InputEventsQueue.empty();
#else
  return false;  // it keeps no queue
#endif
}

void UiFrame::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
#if IMGUI_VERSION_NUM < 18700
  for (const int key : held_) ImGui::GetIO().KeysDown[key] = false;
  if (!held_.empty()) set_modifiers();
  held_.clear();
#endif
  leave();
}

}  // namespace haloscope::app::viewer
