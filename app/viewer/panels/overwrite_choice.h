#pragma once

#include "analysis/snapshot/output_guard.h"
#include "app/viewer/panels/panel_input.h"

#include <imgui.h>
#include <string>

// Whether what pages write may replace files of others: one choice for all of them.
namespace haloscope::app::viewer {

inline constexpr const char* kOverwriteBox = "Replace files of others";

inline void show_overwrite(const PanelInput& input) {
  ImGui::Checkbox(kOverwriteBox, &input.memory.overwrite);
}

// A fault of a command that a page has given: it names the box in place of the command's word.
inline std::string in_words_of_pages(std::string fault) {
  const std::string word = analysis::overwriting_by_word(false).how;
  if (const auto place = fault.find(word); place != std::string::npos)
    fault.replace(place, word.size(),
                  std::string("the box \"") + kOverwriteBox + "\" of the pages that write");
  return fault;
}

// Behind a command that writes.
inline const char* overwrite_word(const PanelMemory& memory) {
  return memory.overwrite ? " overwrite" : "";
}

}  // namespace haloscope::app::viewer
