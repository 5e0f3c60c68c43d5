#include "app/viewer/frame/frame.h"

#include "app/viewer/panels/panels.h"

#include <imgui.h>

namespace haloscope::app::viewer {

void show_frame(const PanelInput& input, float width, float height) {
  const FrameParts parts = arrange(input.state.layout, width, height, input.scale);
  if (!parts.shelf.empty()) show_shelf(input, parts);
  if (!parts.words.empty()) show_words(input, parts.words);
  if (!parts.inspector.empty()) show_inspector(input, parts.inspector);
  if (!parts.status.empty()) show_status_line(input, parts.status);
  if (!parts.top.empty()) show_top_bar(input, parts.top);
  show_file_sheet(input, parts);
  if (parts.status.empty() || !notice_fits(input, parts.status))
    show_notice(input, parts.picture.width, parts.picture.y + parts.picture.height);
}

float free_width(const PanelInput& input, float width, float height) {
  return arrange(input.state.layout, width, height, input.scale).picture.width;
}

void lead_tab(bool start_page) {
  ImGui::SetWindowFocus(start_page ? "start" : "inspector");
}

}  // namespace haloscope::app::viewer
