#include "app/viewer/panels/folder_panel.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"
#include "core/assumption.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextWrapped("%s", value.c_str());
}

void show_facts(const PanelInput& input) {
  const SceneModel& scene = *input.scene;
  const SnapshotInfo& info = scene.info;
  if (!ImGui::BeginTable("facts", 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("name");
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  row("File", std::filesystem::path(scene.path).filename().string());
  row("Format", info.files.size() < 2
                    ? info.format
                    : fmt::format("{}, {} files", info.format, info.files.size()));
  // To the digits that a float32 of 1 + z holds: snapshots at redshift 0 carry 2e-16.
  if (const auto& z = info.cosmology.redshift)
    row("Redshift", fmt::format("{:.4g}", std::abs(*z) < 1e-6 ? 0 : *z));
  row("Box", info.box_size > 0 ? fmt::format("{:.6g} {}{}", info.box_size, length_unit(scene),
                                             info.periodic ? ", periodic" : "")
                               : "none");
  for (std::size_t k = 0; k < scene.names.size(); ++k)
    row(scene.names[k].c_str(), grouped(scene.counts[k]));
  row("Device", scene.device_name);
  row("Memory",
      bytes_in_words(scene.host_bytes) +
          (scene.device_bytes > 0 ? ", GPU " + bytes_in_words(scene.device_bytes) : std::string()));
  ImGui::EndTable();
}

void show_assumed(const PanelInput& input) {
  const auto assumed = sentences_of(input.scene->info.assumed);
  const std::size_t count = assumed.size() + input.scene->sentences.size();
  if (count == 0) return;
  if (!ImGui::TreeNode("assumed", "What was assumed (%zu)", count)) return;
  for (const auto& sentence : assumed) ImGui::TextWrapped("%s", sentence.c_str());
  for (const auto& sentence : input.scene->sentences) ImGui::TextWrapped("%s", sentence.c_str());
  ImGui::TreePop();
}

}  // namespace

void show_file_panel(const PanelInput& input) {
  show_folder(input);
  show_job_bar(input, session::JobKind::Open);
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open: drop a snapshot here.");
    return;
  }
  show_facts(input);
  show_assumed(input);
}

}  // namespace haloscope::app::viewer
