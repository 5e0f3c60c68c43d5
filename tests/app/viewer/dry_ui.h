#pragma once

#include "app/viewer/panels/theme.h"

#include <imgui.h>

namespace haloscope::test {

// Dear ImGui without anything that draws.
class DryUi {
 public:
  DryUi(float width, float height) : context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(width, height);
    io.DeltaTime = 1.f / 60;
    app::viewer::apply_theme(1);
    unsigned char* pixels = nullptr;
    int across = 0, down = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &across, &down);
  }
  ~DryUi() { ImGui::DestroyContext(context_); }
  DryUi(const DryUi&) = delete;
  DryUi& operator=(const DryUi&) = delete;

 private:
  ImGuiContext* context_;
};

}  // namespace haloscope::test
