#include "app/windows/ui_frame.h"

#include "app/windows/theme.h"

#include <algorithm>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

namespace haloscope::app::windows {

UiFrame::UiFrame(GLFWwindow* window, float scale) : window_(window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  // Sizes of panels are the session's business, not of a file in the working folder.
  ImGui::GetIO().IniFilename = nullptr;
  apply_theme(scale);
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 450 core");
}

UiFrame::~UiFrame() {
  ImGui_ImplOpenGL3_Shutdown();
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void UiFrame::begin(int width, int height, double seconds) {
  ImGui_ImplOpenGL3_NewFrame();
  if (window_) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(width), float(height));
    io.DeltaTime = float(std::max(seconds, 1e-6));
  }
  ImGui::NewFrame();
}

void UiFrame::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace haloscope::app::windows
