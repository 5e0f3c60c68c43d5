#include "app/session/toml_writer.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"
#include "core/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr float kSideWidth = 340;  // points
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

struct Panel {
  const char* name;  // as the command `panel` takes it
  const char* title;
  void (*show)(const PanelInput&);
};

constexpr Panel kPanels[] = {{"file", "File", show_file_panel},
                             {"particles", "Particles", show_particles_panel},
                             {"camera", "Camera", show_camera_panel},
                             {"halos", "Halos", show_halos_panel},
                             {"selection", "Selection", show_selection_panel},
                             {"path", "Path", show_path_panel},
                             {"export", "Export", show_export_panel},
                             {"log", "Log", show_log_panel}};

// A header that opens and closes its panel. What the user clicks is a command like any other.
bool header(const PanelInput& input, const Panel& panel) {
  const auto known = input.memory.open.find(panel.name);
  const bool open = known != input.memory.open.end() && known->second;
  ImGui::SetNextItemOpen(open);
  const bool now = ImGui::CollapsingHeader(panel.title);
  if (now != open) input.emit(std::string("panel ") + panel.name);
  return open;
}

std::string in_words(const PictureFacts& picture) {
  if (picture.sample > 1) return fmt::format(", 1 of {} particles", picture.sample);
  return picture.divisor > 1 ? ", coarse" : "";
}

std::string status_of(const PanelInput& input) {
  if (input.task.busy)
    return fmt::format("{}: {} {:.0f} %", input.task.name, input.task.phase,
                       100 * input.task.fraction);
  if (!input.picture) return input.scene ? "drawing" : "no snapshot";
  const auto& counts = input.picture->counts;
  const auto sample = std::uint64_t(input.picture->sample);
  return fmt::format(
      "{} of {} in view, {:.0f} ms{}", grouped((counts.particles - counts.inactive) * sample),
      grouped(counts.particles * sample), input.picture->milliseconds, in_words(*input.picture));
}

}  // namespace

float side_width(float scale) {
  return kSideWidth * scale;
}

float free_width(const PanelInput& input, float width) {
  const float side = side_width(input.scale);
  return input.memory.open["all"] && width > 2 * side ? width - side : width;
}

void show_side_panels(const PanelInput& input, float width, float height) {
  const float status = ImGui::GetFrameHeight() + 8 * input.scale;
  // A window narrower than the column gives it all there is.
  const float side = std::min(side_width(input.scale), width);
  ImGui::SetNextWindowPos(ImVec2(width - side, 0));
  ImGui::SetNextWindowSize(ImVec2(side, std::max(1.f, height - status)));
  if (ImGui::Begin("side", nullptr, kFixed)) {
    ImGui::PushItemWidth(-110 * input.scale);
    for (const Panel& panel : kPanels)
      if (header(input, panel)) {
        ImGui::PushID(panel.title);
        panel.show(input);
        ImGui::PopID();
      }
    ImGui::PopItemWidth();
  }
  ImGui::End();
  ImGui::SetNextWindowPos(ImVec2(width - side, height - status));
  ImGui::SetNextWindowSize(ImVec2(side, status));
  if (ImGui::Begin("status", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar))
    ImGui::TextDisabled("%s", status_of(input).c_str());
  ImGui::End();
}

void show_start_page(const PanelInput& input, float width, float height) {
  ImGui::SetNextWindowPos(ImVec2(width / 2, height / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  if (ImGui::Begin("start", nullptr, kFixed | ImGuiWindowFlags_AlwaysAutoResize)) {
    ImGui::Text("haloscope");
    ImGui::TextDisabled("Drop a snapshot here, or choose:");
    auto& typed = input.memory.typed_file;
    ImGui::SetNextItemWidth(320 * input.scale);
    if (ImGui::InputTextWithHint("##file", "path of a snapshot, Enter", typed.data(), typed.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue) &&
        typed[0])
      input.emit(fmt::format("open {}", session::quoted(typed.data())));
    if (ImGui::Button("Open the sample"))
      input.emit(fmt::format("open {}", session::quoted(asset_path("sample.hdf5").string())));
    for (const auto& file : input.recent)
      if (ImGui::Selectable(file.c_str()))
        input.emit(fmt::format("open {}", session::quoted(file)));
  }
  ImGui::End();
}

}  // namespace haloscope::app::viewer
