#pragma once

#include "app/viewer/panels/panel_input.h"

#include <imgui.h>

// Whether what pages write may replace files of others: one choice for all of them.
namespace haloscope::app::viewer {

inline constexpr const char* kOverwriteBox = "Replace files of others";

inline void show_overwrite(const PanelInput& input) {
  ImGui::Checkbox(kOverwriteBox, &input.memory.overwrite);
}

// Behind a command that writes.
inline const char* overwrite_word(const PanelMemory& memory) {
  return memory.overwrite ? " overwrite" : "";
}

}  // namespace haloscope::app::viewer
