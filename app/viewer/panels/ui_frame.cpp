#include "app/viewer/panels/ui_frame.h"

#include "app/viewer/panels/theme.h"

#include <algorithm>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

namespace haloscope::app::viewer {

namespace {

constexpr float kKeyRepeatDelay = 0.275f;  // s
// From this version on Dear ImGui takes mouse and keys in turns itself.
constexpr bool kHasQueue = IMGUI_VERSION_NUM >= 18700;

}  // namespace

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
  // As long as desktops wait: a slow machine takes a frame for each press and release.
  ImGui::GetIO().MouseDoubleClickTime = 0.5f;
  apply_theme(scale);
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, false);
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
    if (!kHasQueue) take_mouse();
  } else {
    ImGui::GetIO().DisplaySize = ImVec2(float(width), float(height));
    ImGui::GetIO().DeltaTime = float(std::max(seconds, 1e-6));
  }
  // A press lasts a frame or two: where frames are slow it must not count as held down.
  ImGuiIO& io = ImGui::GetIO();
  io.KeyRepeatDelay = std::max(kKeyRepeatDelay, 3 * io.DeltaTime);
  ImGui::NewFrame();
}

void UiFrame::key(int key, int scancode, int action, int modifiers) {
  ImGui_ImplGlfw_KeyCallback(window_, key, scancode, action, modifiers);
}

void UiFrame::letter(unsigned letter) {
  ImGui_ImplGlfw_CharCallback(window_, letter);
}

void UiFrame::mouse_button(int button, int action, [[maybe_unused]] int modifiers) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_MouseButtonCallback(window_, button, action, modifiers);
#else
  mouse_.button(button, action == GLFW_PRESS);
#endif
}

void UiFrame::scrolled(double x, double y) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_ScrollCallback(window_, x, y);
#else
  mouse_.scroll(x, y);
#endif
}

void UiFrame::cursor_moved(double x, double y) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_CursorPosCallback(window_, x, y);
#else
  mouse_.move(x, y);
#endif
}

// Over what the backend found: the mouse as it is now, which may be ahead of the events.
void UiFrame::take_mouse() {
  ImGuiIO& io = ImGui::GetIO();
  const MouseQueue::Turn turn = mouse_.take();
  if (turn.position && ImGui::IsMousePosValid(&io.MousePos))
    io.MousePos = ImVec2(float((*turn.position)[0]), float((*turn.position)[1]));
  static_assert(MouseQueue::kButtons == ImGuiMouseButton_COUNT);
  std::copy(turn.down.begin(), turn.down.end(), io.MouseDown);
  io.MouseWheelH += float(turn.wheel[0]);
  io.MouseWheel += float(turn.wheel[1]);
}

void UiFrame::cursor_entered(int entered) {
  ImGui_ImplGlfw_CursorEnterCallback(window_, entered);
}

void UiFrame::focused(int focused) {
  ImGui_ImplGlfw_WindowFocusCallback(window_, focused);
}

bool UiFrame::has_events() const {
#if IMGUI_VERSION_NUM >= 18700
  return !context_->InputEventsQueue.empty();
#else
  return mouse_.waits();
#endif
}

void UiFrame::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  leave();
}

}  // namespace haloscope::app::viewer
