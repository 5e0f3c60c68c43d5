#include "app/viewer/panels/topmost.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace haloscope::app::viewer {

bool close_topmost(const std::map<std::string, bool>& open,
                   const std::function<void(const std::string&)>& emit) {
  // Dear ImGui closes its lists by Escape only where it moves between widgets by keys.
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
    ImGui::ClosePopupToLevel(0, true);
    return true;
  }
  for (const char* const sheet : {"keys", "settings", "file"}) {
    const auto known = open.find(sheet);
    if (known == open.end() || !known->second) continue;
    emit(std::string("panel ") + sheet);
    return true;
  }
  return false;
}

}  // namespace haloscope::app::viewer
