#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/user_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr float kSettingsWidth = 560;  // points
constexpr std::array<double, 6> kLetterScales{0.75, 1, 1.25, 1.5, 2, 3};

void heading(const char* words) {
  ImGui::Spacing();
  ImGui::TextUnformatted(words);
  ImGui::Separator();
}

void show_scale(const PanelInput& input) {
  heading("Size of letters and buttons");
  for (const double scale : kLetterScales) {
    const bool now = std::abs(input.state.ui_scale - scale) < 1e-6;
    if (ImGui::RadioButton(fmt::format("{:.0f} %", 100 * scale).c_str(), now))
      input.emit(fmt::format("ui_scale {}", scale));
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

void show_start_size(const PanelInput& input) {
  heading("Size of the window at its start");
  const auto& chosen = input.choices.start_size;
  const std::string usual =
      chosen ? fmt::format("{} x {}", (*chosen)[0], (*chosen)[1]) : std::string("1280 x 800");
  if (ImGui::RadioButton((usual + "##fixed").c_str(), chosen.has_value()) && !chosen)
    input.emit("start_size 1280x800");
  ImGui::SameLine();
  if (ImGui::Button("Take the present size")) input.emit("start_size now");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%d x %d pixels", input.state.width, input.state.height);
  if (ImGui::RadioButton("As it was left", !chosen)) input.emit("start_size last");
}

void show_lengths(const PanelInput& input) {
  heading("Smoothing lengths that a snapshot lacks are kept");
  const auto place = [&](io::KeepLengths keep, const char* words, const char* help) {
    if (ImGui::RadioButton(words, input.choices.keep_lengths == keep))
      input.emit("keep_lengths " + session::word_for(keep));
    ImGui::SameLine(180 * input.scale);
    ImGui::TextDisabled("%s", help);
  };
  place(io::KeepLengths::Beside, "beside the snapshot",
        "FILE.haloscope-lengths; others find them too");
  place(io::KeepLengths::Cache, "in the cache folder", "~/.cache/haloscope; for you alone");
  place(io::KeepLengths::Nowhere, "nowhere", "each opening searches for them again");
}

void show_remembered(const PanelInput& input) {
  heading("What is remembered");
  const auto row = [&](const char* words, std::size_t count, const char* line) {
    ImGui::PushID(line);
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%s: %zu", words, count);
    ImGui::SameLine(180 * input.scale);
    ImGui::BeginDisabled(count == 0);
    if (ImGui::Button("Forget")) input.emit(line);
    ImGui::EndDisabled();
    ImGui::PopID();
  };
  row("Recent files", input.recent.size(), "forget files");
  row("Entered commands", input.line.history.size(), "forget commands");
  const std::string folder = settings_folder().string();
  ImGui::TextDisabled("Kept in %s", folder.empty() ? "no folder: HOME is not set" : folder.c_str());
}

}  // namespace

void show_settings(const PanelInput& input, float width, float height) {
  if (!input.memory.open["settings"]) return;
  const float free = free_width(input, width, height);
  ImGui::SetNextWindowPos(ImVec2(free / 2, height / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  const float wide = std::min(kSettingsWidth * input.scale, free);
  // Large letters in a small window: then it scrolls.
  ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, 0.92f * height));
  ImGui::SetNextWindowSize(ImVec2(wide, 0));
  bool stays = true;
  if (ImGui::Begin("Settings", &stays,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings)) {
    show_scale(input);
    show_start_size(input);
    show_lengths(input);
    show_remembered(input);
  }
  ImGui::End();
  if (!stays) input.emit("panel settings");
}

}  // namespace haloscope::app::viewer
