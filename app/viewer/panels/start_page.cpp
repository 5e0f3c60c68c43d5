#include "app/session/toml_writer.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/recent_files.h"
#include "core/assets.h"
#include "core/error.h"

#include <fmt/format.h>

#include <imgui.h>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

}  // namespace

void show_start_page(const PanelInput& input, float x, float y) {
  ImGui::SetNextWindowPos(ImVec2(x, y), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  if (ImGui::Begin("start", nullptr, kFixed | ImGuiWindowFlags_AlwaysAutoResize)) {
    const auto open_all = [&](const std::vector<std::string>& paths) {
      input.memory.page_waits = true;
      std::string line = "open";
      for (const std::string& path : paths) line += " " + session::quoted(path);
      input.emit(line);
    };
    const auto open = [&](const std::string& path) { open_all({path}); };
    ImGui::Text("haloscope");
    ImGui::TextDisabled("Drop a snapshot here, or choose:");
    auto& typed = input.memory.typed_file;
    ImGui::SetNextItemWidth(320 * input.scale);
    if (ImGui::InputTextWithHint("##file", "path of a snapshot or state, Enter", typed.data(),
                                 typed.size(), ImGuiInputTextFlags_EnterReturnsTrue)) {
      // It keeps the keys: what is typed behind is meant for it, as long as it is there.
      ImGui::SetKeyboardFocusHere(-1);
      if (typed[0]) open(typed.data());
    }
    if (ImGui::Button("Open the sample")) {
      // A copy of the program alone has none.
      try {
        open(asset_path("sample.hdf5").string());
      } catch (const Error& error) {
        if (input.complain) input.complain(error.what());
      }
    }
    for (const auto& entry : input.recent)
      if (ImGui::Selectable(entry.c_str())) {
        const auto files = files_of_recent(entry);
        open_all(files.empty() ? std::vector<std::string>{entry} : files);
      }
    show_job_bar(input, session::JobKind::Open);
  }
  ImGui::End();
}

}  // namespace haloscope::app::viewer
