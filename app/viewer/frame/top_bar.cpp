#include "app/session/command_table.h"
#include "app/session/shown_look.h"
#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/frame/series_bar.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/short_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <imgui.h>
#include <set>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// Points.
constexpr float kLongestName = 260, kSheetWidth = 520, kShortestBar = 60, kLongestBar = 320;
constexpr float kGap = 16;  // before and behind the looks

struct Deed {
  const char *label, *command, *line, *help;
};

// At the right; those alone whose command the program has.
constexpr std::array<Deed, 4> kDeeds{
    {{"Undo", "undo", "undo", "Take back the last step"},
     {"Redo", "redo", "redo", "Do again what was taken back"},
     {"Still", "screenshot", "screenshot", "Write the picture: haloscope-0001.png, … (F12)"},
     {"?", "panel", "panel keys", "Keys and mouse (F1)"}}};

std::vector<Deed> known_deeds() {
  std::vector<Deed> known;
  for (const Deed& deed : kDeeds)
    if (session::find_command(deed.command)) known.push_back(deed);
  return known;
}

void show_name(const PanelInput& input) {
  const std::string& snapshot = input.state.snapshot();
  const std::string name =
      snapshot.empty() ? "no snapshot" : std::filesystem::path(snapshot).filename().string();
  const bool open = input.memory.open["file"];
  const std::string label = shortened(name, kLongestName * input.scale);
  if (tab_button((label + "##file").c_str(), open)) input.emit("panel file");
  // Over what it opens it would cover the path.
  if (!open && ImGui::IsItemHovered()) {
    if (snapshot.empty())
      ImGui::SetTooltip("Open a snapshot");
    else
      ImGui::SetTooltip("%s\nWhat it holds, and what was assumed", snapshot.c_str());
  }
  ImGui::SameLine(0, 1);
  if (ImGui::ArrowButton("facts", ImGuiDir_Down)) input.emit("panel file");
}

// What is left of the line before `end`.
float room_before(float end) {
  ImGui::SameLine();
  return end - ImGui::GetCursorPosX();
}

// `end`: where the looks begin.
void show_series(const PanelInput& input, float end) {
  const std::size_t count = input.state.snapshots.size();
  if (count < 2) return;
  ImGui::SameLine();
  if (ImGui::ArrowButton("previous", ImGuiDir_Left)) input.emit("previous_snapshot");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("The snapshot before (Left)");
  ImGui::SameLine();
  ImGui::Text("%zu of %zu", input.state.current + 1, count);
  ImGui::SameLine();
  if (ImGui::ArrowButton("next", ImGuiDir_Right)) input.emit("next_snapshot");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("The next snapshot (Right)");
  ImGui::SameLine();
  if (ImGui::Button("Play")) input.emit("play");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Play or stop the series (Space)");
  const float room = room_before(end);
  if (room >= kShortestBar * input.scale)
    show_series_bar(input, std::min(room, kLongestBar * input.scale));
}

struct LookButton {
  const char* label;
  std::string line, help;
  bool shown = false;  // just these types
};

// Those whose particles the snapshot has.
std::vector<LookButton> looks_of(const PanelInput& input) {
  std::vector<LookButton> looks;
  if (!input.scene) return looks;
  const auto& types = input.scene->types;
  std::set<int> hidden;
  for (std::size_t k = 0; k < types.size(); ++k)
    if (!input.scene->looks[k].shown) hidden.insert(types[k]);
  const auto now = session::types_shown(input.state, types, hidden);
  for (std::size_t k = 0; k < session::kShownLooks.size(); ++k) {
    const auto& look = session::kShownLooks[k];
    const auto shown = session::types_in(look, types, hidden);
    if (shown.empty()) continue;
    looks.push_back(
        {look.word, fmt::format("show_look {}", look.name),
         fmt::format("{} (key {})",
                     look.all ? "All that is shown at first" : std::string(look.word) + " alone",
                     k + 1),
         shown == now && !input.state.map.shown});
  }
  looks.push_back({"Map", "show_look map",
                   fmt::format("Surface density or the mean of a field, in colors that a bar tells "
                               "(key {})",
                               session::kShownLooks.size() + 1),
                   input.state.map.shown});
  return looks;
}

float button_width(const char* label) {
  return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

template <class Buttons>
float width_of(const Buttons& buttons) {
  float width = 0;
  for (const auto& button : buttons)
    width += button_width(button.label) + ImGui::GetStyle().ItemSpacing.x;
  return width;
}

void show_looks(const PanelInput& input, const std::vector<LookButton>& looks, float left) {
  if (room_before(left) < 0) return;
  ImGui::SetCursorPosX(left);
  for (const LookButton& look : looks) {
    if (tab_button(look.label, look.shown)) input.emit(look.line);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", look.help.c_str());
    ImGui::SameLine();
  }
}

void show_deeds(const PanelInput& input, const std::vector<Deed>& deeds, float left) {
  // In a narrow window they would lie over the name.
  if (room_before(left) < 0) return ImGui::NewLine();
  ImGui::SetCursorPosX(left);
  for (const Deed& deed : deeds) {
    if (ImGui::Button(deed.label)) input.emit(deed.line);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", deed.help);
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

// What the sheet was asked to open is there; a fault leaves the sheet open for another try.
bool has_opened(const PanelInput& input) {
  std::optional<int>& asked = input.memory.asked_to_open;
  // The command is done before the next frame.
  if (!asked || *asked == ImGui::GetFrameCount() || input.jobs[session::JobKind::Open].busy)
    return false;
  const bool failed = !input.notice.empty() && input.notice_is_fault;
  const bool there = input.scene && input.scene->path == input.state.snapshot();
  if (failed || there) asked.reset();
  return there && !failed;
}

}  // namespace

void show_top_bar(const PanelInput& input, const Area& area) {
  const FixedWindow window("top", area, input.scale, Filled::Line);
  show_name(input);
  if (input.scene)
    if (const auto& z = input.scene->info.cosmology.redshift) {
      ImGui::SameLine();
      // Snapshots at redshift 0 carry rounding such as 2e-16.
      ImGui::TextDisabled("z = %.2f", std::max(0.0, *z));
    }
  static const std::vector<Deed> deeds = known_deeds();
  const auto looks = looks_of(input);
  const float gap = kGap * input.scale;
  const float deeds_at = ImGui::GetContentRegionMax().x - width_of(deeds);
  const float looks_at = deeds_at - gap - width_of(looks);
  show_series(input, looks_at - gap);
  show_looks(input, looks, looks_at);
  show_deeds(input, deeds, deeds_at);
}

void show_file_sheet(const PanelInput& input, const FrameParts& parts) {
  if (!input.memory.open["file"]) {
    input.memory.asked_to_open.reset();
    return;
  }
  if (has_opened(input)) input.emit("panel file");
  const float width = std::min(kSheetWidth * input.scale, parts.top.width);
  const float bottom = parts.picture.y + parts.picture.height + parts.shelf.height;
  ImGui::SetNextWindowPos(ImVec2(0, parts.picture.y));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 1),
                                      ImVec2(width, std::max(1.f, bottom - parts.picture.y)));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_AlwaysAutoResize;
  if (ImGui::Begin("file", nullptr, kFlags & ~ImGuiWindowFlags_NoScrollbar)) {
    show_file_panel(input);
    // It goes at a press elsewhere, but for the bar, whose button closes it.
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool inside = ImGui::IsMouseHoveringRect(
        ImGui::GetWindowPos(),
        ImVec2(ImGui::GetWindowPos().x + width, ImGui::GetWindowPos().y + ImGui::GetWindowHeight()),
        false);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !inside && mouse.y >= parts.picture.y)
      input.emit("panel file");
  }
  ImGui::End();
}

}  // namespace haloscope::app::viewer
