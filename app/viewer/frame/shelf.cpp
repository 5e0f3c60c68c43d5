#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/panels/hints.h"
#include "app/viewer/panels/measure_menu.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/series_list.h"
#include "app/viewer/panels/timeline.h"
#include "app/viewer/plots/finding_plots.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

using session::ShelfTab;

constexpr float kSplitter = 6;         // points
constexpr double kFinestStep = 0.005;  // of the shelf's height, while it is dragged

void show_time(const PanelInput& input) {
  if (const std::string hint = time_hint(input); !hint.empty())
    ImGui::TextWrapped("%s", hint.c_str());
  else
    show_timeline(input);
  if (input.state.snapshots.size() > 1) show_series_list(input);
}

struct Tab {
  ShelfTab tab;
  const char *word, *name;
  void (*show)(const PanelInput&);
};

constexpr std::array<Tab, 4> kTabs{{{ShelfTab::Table, "Table", "table", show_piece_table},
                                    {ShelfTab::Plots, "Plots", "plots", show_finding_plots},
                                    {ShelfTab::Time, "Time", "time", show_time},
                                    {ShelfTab::Log, "Log", "log", show_log_panel}}};

// The edge between picture and shelf.
void show_splitter(const PanelInput& input, const FrameParts& parts) {
  const float height = kSplitter * input.scale;
  ImGui::SetCursorPos(ImVec2(0, 0));
  ImGui::InvisibleButton("splitter", ImVec2(parts.shelf.width, height));
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRectFilled(
      low, ImVec2(high.x, low.y + height / 2),
      ImGui::GetColorU32(hot ? ImGuiCol_ButtonHovered : ImGuiCol_FrameBg));
  // The last step may come with the release.
  const bool held = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (!held || !(ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > 1)) return;
  const double asked = shelf_height_at(parts, ImGui::GetIO().MousePos.y);
  if (std::abs(asked - input.state.layout.shelf_height) >= kFinestStep)
    input.emit(fmt::format("shelf_height {:.3f}", asked));
}

float button_width(const std::string& label) {
  return ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void show_tabs(const PanelInput& input) {
  for (const Tab& tab : kTabs) {
    if (tab_button(tab.word, input.state.layout.tab == tab.tab))
      input.emit(std::string("shelf ") + tab.name);
    ImGui::SameLine();
  }
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  float width = button_width("\u00d7");
  for (const double step : session::kShelfSteps)
    width += button_width(fmt::format("{:.0f} %", 100 * step)) + gap;
  if (input.state.layout.tab == ShelfTab::Plots) show_measure_button(input);
  if (input.state.layout.tab == ShelfTab::Plots)
    show_plot_names(input, ImGui::GetContentRegionMax().x - width - 2 * gap);
  const float left = ImGui::GetCursorPosX();
  ImGui::SetCursorPosX(std::max(left, ImGui::GetContentRegionMax().x - width));
  for (const double step : session::kShelfSteps) {
    const bool now = std::abs(input.state.layout.shelf_height - step) < kFinestStep;
    if (tab_button(fmt::format("{:.0f} %", 100 * step).c_str(), now))
      input.emit(fmt::format("shelf_height {}", step));
    ImGui::SameLine();
  }
  if (ImGui::Button("\u00d7")) input.emit("shelf off");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Close the shelf (F9)");
}

}  // namespace

void show_shelf(const PanelInput& input, const FrameParts& parts) {
  const FixedWindow window("shelf", parts.shelf, input.scale, Filled::Page);
  show_splitter(input, parts);
  show_tabs(input);
  if (ImGui::BeginChild("page"))
    for (const Tab& tab : kTabs)
      if (input.state.layout.tab == tab.tab) tab.show(input);
  ImGui::EndChild();
}

}  // namespace haloscope::app::viewer
