#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/panels/panels.h"

#include <algorithm>
#include <array>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

using session::InspectorPage;

constexpr float kLabels = 96;  // points behind the fields

struct Page {
  InspectorPage page;
  const char *word, *title;
  void (*show)(const PanelInput&);
};

constexpr std::array<Page, 6> kPages{
    {{InspectorPage::Look, "Look", "Look", show_particles_panel},
     {InspectorPage::Camera, "Camera", "Camera", show_camera_panel},
     {InspectorPage::Find, "Find", "Find", show_find_panel},
     {InspectorPage::Select, "Select", "Selection", show_selection_panel},
     {InspectorPage::Film, "Film", "Path of the film", show_path_panel},
     {InspectorPage::Output, "Output", "Output", show_export_panel}}};

// As the command `inspector` takes it.
std::string name_of(InspectorPage page) {
  for (const auto& [name, value] : session::kInspectorPages)
    if (value == page) return name;
  return {};
}

void show_page(const PanelInput& input, const Page& page, bool pinned) {
  ImGui::PushID(page.word);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(page.title);
  if (pinned) {
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize("Unpin").x -
                    2 * ImGui::GetStyle().FramePadding.x);
    if (ImGui::Button("Unpin")) input.emit("inspector " + name_of(page.page) + " pin");
  }
  ImGui::Separator();
  page.show(input);
  ImGui::PopID();
}

// A row of the words beside the inspector.
bool word(const char* text, bool open, float height) {
  ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0.5f, 0.5f));
  const bool pressed = ImGui::Selectable(text, open, 0, ImVec2(0, height));
  ImGui::PopStyleVar();
  return pressed;
}

}  // namespace

void show_words(const PanelInput& input, const Area& area) {
  const session::Layout& layout = input.state.layout;
  const FixedWindow window("words", area, input.scale, Filled::Column);
  const float height = ImGui::GetFrameHeight() + 8 * input.scale;
  for (const Page& page : kPages) {
    const bool open = layout.inspector_open && layout.page == page.page;
    const bool pinned = layout.inspector_open && layout.pinned == page.page;
    const bool pressed = word(page.word, open || pinned, height);
    // Over an open page it would cover the first rows.
    if (!open && !pinned && ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\nCtrl+click: as a second page", page.title);
    if (!pressed) continue;
    const std::string name = name_of(page.page);
    if (ImGui::GetIO().KeyCtrl)
      input.emit("inspector " + name + " pin");
    else
      input.emit(open ? "inspector off" : "inspector " + name);
  }
  const float bottom = area.height - 2 * height - 12 * input.scale;
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), bottom));
  if (word("Settings", input.memory.open["settings"], height)) input.emit("panel settings");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Settings of every session (F2)");
  if (word("Shelf", layout.shelf_open, height)) input.emit("shelf toggle");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Table, plots, time and log below the picture");
}

void show_inspector(const PanelInput& input, const Area& area) {
  const session::Layout& layout = input.state.layout;
  const FixedWindow window("inspector", area, input.scale, Filled::Page);
  ImGui::PushItemWidth(-kLabels * input.scale);
  for (const Page& page : kPages)
    if (layout.pinned == page.page && layout.page != page.page) {
      show_page(input, page, true);
      ImGui::Spacing();
    }
  for (const Page& page : kPages)
    if (layout.page == page.page) show_page(input, page, false);
  ImGui::PopItemWidth();
}

}  // namespace haloscope::app::viewer
