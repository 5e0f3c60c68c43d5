#include "app/session/toml_writer.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"

#include <fmt/format.h>

#include <array>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

using analysis::NamedSet;
using analysis::ShowSets;

void explain_item(const std::string& what) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", what.c_str());
}

struct ShowButton {
  ShowSets how;
  const char *label, *command, *help;
};
constexpr std::array<ShowButton, 4> kShowButtons{
    {{ShowSets::Off, "Off", "off", "Particles look as they do without sets"},
     {ShowSets::Highlight, "Highlight", "highlight", "The sets in their colors, the rest as it is"},
     {ShowSets::Dim, "Dim", "dim", "The sets in their colors, the rest at a tenth of its light"},
     {ShowSets::Only, "Only", "only", "The sets alone"}}};

void show_modes(const PanelInput& input) {
  ImGui::BeginDisabled(session::sets_of(input.state).empty());
  for (const ShowButton& button : kShowButtons) {
    if (button.how != ShowSets::Off) ImGui::SameLine();
    if (ImGui::RadioButton(button.label, input.state.show_sets == button.how))
      input.emit(fmt::format("show_sets {}", button.command));
    explain_item(button.help);
  }
  ImGui::EndDisabled();
}

// Of a set of the state, where it is known.
std::string count_in_words(const PanelInput& input, const NamedSet& set) {
  if (!input.sets.members) return {};
  const auto known = analysis::find_set(input.sets.members->sets, set.name);
  if (!known || !input.sets.members->sets[*known].same_particles(set)) return {};
  return grouped(input.sets.members->counts[*known]);
}

std::string formula_in_words(const NamedSet& set) {
  static const char* const kWords[] = {"", "and also", "that are also in", "without"};
  const auto word = [](const analysis::SetOperand& operand) {
    return operand.set.empty() ? std::string("what was selected") : operand.set;
  };
  if (set.operation == analysis::SetOperation::None) return word(set.first);
  return fmt::format("{} {} {}", word(set.first), kWords[int(set.operation)], word(set.second));
}

// White where particles keep their own colors.
void show_swatch(const PanelInput& input, const NamedSet& set, const std::string& name) {
  const auto shown = set.color.value_or(std::array<double, 3>{1, 1, 1});
  std::array<float, 3> color{float(shown[0]), float(shown[1]), float(shown[2])};
  constexpr ImGuiColorEditFlags kFlags = ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoLabel;
  if (ImGui::ColorEdit3("##color", color.data(), kFlags)) {
    const std::array<double, 3> chosen{double(color[0]), double(color[1]), double(color[2])};
    input.emit(fmt::format("set_color {} {}", name, session::quoted(analysis::color_text(chosen))));
  }
  if (ImGui::BeginPopupContextItem("colors")) {
    for (const auto& known : analysis::set_colors())
      if (ImGui::Selectable(known.name, set.color == known.display))
        input.emit(fmt::format("set_color {} {}", name, known.name));
    if (ImGui::Selectable("own", !set.color)) input.emit(fmt::format("set_color {} own", name));
    ImGui::EndPopup();
  }
}

void show_row(const PanelInput& input, const NamedSet& set) {
  const std::string name = session::quoted(set.name);
  ImGui::PushID(set.name.c_str());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  show_swatch(input, set, name);
  ImGui::TableNextColumn();
  bool shown = set.shown;
  if (ImGui::Checkbox(set.name.c_str(), &shown))
    input.emit(fmt::format("show_set {} {}", name, shown ? "on" : "off"));
  explain_item(formula_in_words(set));
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(count_in_words(input, set).c_str());
  ImGui::TableNextColumn();
  const bool followed = input.state.follow == set.name;
  if (ImGui::SmallButton(followed ? "Let go" : "Follow"))
    input.emit(followed ? std::string("follow off") : fmt::format("follow {}", name));
  explain_item("Its middle stays in the middle of the picture, in each snapshot and in films");
  ImGui::TableNextColumn();
  const auto others = analysis::made_of(input.state.sets, set.name);
  ImGui::BeginDisabled(!others.empty());
  if (ImGui::SmallButton("\u00d7")) input.emit(fmt::format("remove_set {}", name));
  ImGui::EndDisabled();
  if (others.empty()) explain_item("Remove the set");
  if (!others.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s is made of it", others.front().c_str());
  ImGui::PopID();
}

void show_rows(const PanelInput& input) {
  if (input.state.sets.empty()) return;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("sets", 5, kFlags)) return;
  ImGui::TableSetupColumn("Color");
  ImGui::TableSetupColumn("Set", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Particles");
  ImGui::TableSetupColumn("##follow");
  ImGui::TableSetupColumn("##remove");
  ImGui::TableHeadersRow();
  for (const NamedSet& set : input.state.sets) show_row(input, set);
  ImGui::EndTable();
}

void choose_operand(const PanelInput& input, const char* label, std::string& operand) {
  if (!ImGui::BeginCombo(label, operand.empty() ? "choose a set" : operand.c_str())) return;
  if (input.state.selection.kind != analysis::SelectionKind::None &&
      ImGui::Selectable("selection", operand == "selection"))
    operand = "selection";
  for (const NamedSet& set : input.state.sets)
    if (ImGui::Selectable(set.name.c_str(), operand == set.name)) operand = set.name;
  ImGui::EndCombo();
}

bool is_there(const PanelInput& input, const std::string& operand) {
  if (operand == "selection") return input.state.selection.kind != analysis::SelectionKind::None;
  return analysis::find_set(input.state.sets, operand).has_value();
}

void show_new_set(const PanelInput& input) {
  SetDraft& draft = input.memory.set;
  const bool entered = ImGui::InputText("New set", draft.name.data(), draft.name.size(),
                                        ImGuiInputTextFlags_EnterReturnsTrue);
  const std::string name = session::quoted(draft.name.data());
  const bool full = input.state.sets.size() >= analysis::kMostSets &&
                    !analysis::find_set(input.state.sets, draft.name.data());
  const bool selected = input.state.selection.kind != analysis::SelectionKind::None;
  const bool can_keep = draft.name[0] != 0 && selected && !full;
  ImGui::BeginDisabled(!can_keep);
  if (ImGui::Button("Keep selection") || (entered && can_keep)) {
    input.emit(fmt::format("set {}", name));
    draft.name = {};
  }
  ImGui::EndDisabled();
  explain_item("The selected particles as a set of that name");
  if (input.state.sets.empty()) return;
  static const char* const kOperations[] = {"union", "intersection", "difference"};
  choose_operand(input, "Of", draft.operands[0]);
  ImGui::Combo("Operation", &draft.operation, kOperations, 3);
  choose_operand(input, "And", draft.operands[1]);
  ImGui::BeginDisabled(draft.name[0] == 0 || full || !is_there(input, draft.operands[0]) ||
                       !is_there(input, draft.operands[1]));
  if (ImGui::Button("Combine")) {
    input.emit(fmt::format("combine_sets {} {} {} {}", name, session::quoted(draft.operands[0]),
                           kOperations[draft.operation], session::quoted(draft.operands[1])));
    draft.name = {};
  }
  ImGui::EndDisabled();
}

}  // namespace

void show_set_list(const PanelInput& input) {
  ImGui::PushID("sets");
  ImGui::Separator();
  ImGui::TextDisabled("Sets of particles");
  show_modes(input);
  show_rows(input);
  if (input.jobs[session::JobKind::Sets].busy)
    show_job_bar(input, session::JobKind::Sets);
  else if (!input.sets.fault.empty())
    ImGui::TextWrapped("%s", input.sets.fault.c_str());
  else if (!input.state.sets.empty() && !input.sets_known)
    ImGui::TextWrapped("Not counted.");
  show_new_set(input);
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
