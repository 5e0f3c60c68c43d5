#include "app/session/toml_writer.h"
#include "app/windows/panels.h"

#include <fmt/format.h>

#include <imgui.h>

namespace haloscope::app::windows {

namespace {

using session::SelectionKind;

std::string in_words(const session::SelectionState& selection) {
  switch (selection.kind) {
    case SelectionKind::None:
      return "Nothing is selected.";
    case SelectionKind::Box:
      return fmt::format("Box from {:.6g} {:.6g} {:.6g} to {:.6g} {:.6g} {:.6g}", selection.low[0],
                         selection.low[1], selection.low[2], selection.high[0], selection.high[1],
                         selection.high[2]);
    case SelectionKind::Sphere:
      return fmt::format("Sphere of radius {:.6g} about {:.6g} {:.6g} {:.6g}", selection.radius,
                         selection.center[0], selection.center[1], selection.center[2]);
    case SelectionKind::Halo:
      return fmt::format("Members of halo {}", selection.halo);
    case SelectionKind::Value:
      return fmt::format("{} from {:.6g} to {:.6g}", selection.field, selection.limits[0],
                         selection.limits[1]);
  }
  return {};
}

}  // namespace

void show_selection_panel(const PanelInput& input) {
  if (!input.scene || !input.state.camera) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  ImGui::TextWrapped("%s", in_words(input.state.selection).c_str());
  PanelMemory& memory = input.memory;
  const session::Vec& center = input.state.camera->center;
  if (!(memory.select_side > 0))
    memory.select_side = 0.1 * (input.scene->bounds.high[0] - input.scene->bounds.low[0]);
  ImGui::InputDouble("Side", &memory.select_side, 0, 0, "%.6g");
  if (ImGui::Button("Box about the center")) {
    const double half = memory.select_side / 2;
    input.emit(fmt::format("select_box {} {} {} {} {} {}", center[0] - half, center[1] - half,
                           center[2] - half, center[0] + half, center[1] + half, center[2] + half));
  }
  ImGui::SameLine();
  if (ImGui::Button("None")) input.emit("select_none");
  if (input.state.selection.kind == SelectionKind::None) return;
  ImGui::InputText("Snapshot", memory.selection_file.data(), memory.selection_file.size());
  if (ImGui::Button("Write as snapshot"))
    input.emit(fmt::format("export_selection {}", session::quoted(memory.selection_file.data())));
}

}  // namespace haloscope::app::windows
