#pragma once

#include <imgui.h>

namespace haloscope::app::viewer {

// Whether the key went down since the last frame; a key that is held counts once.
inline bool key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(key, false);
#else
  const int index = ImGui::GetKeyIndex(key);
  return index >= 0 && ImGui::IsKeyPressed(index, false);
#endif
}

}  // namespace haloscope::app::viewer
