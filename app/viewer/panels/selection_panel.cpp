#include "analysis/plot_units.h"
#include "analysis/selection/number_list.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/piece_actions.h"
#include "app/viewer/panels/scene_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <set>
#include <string>

namespace haloscope::app::viewer {

namespace {

using session::SelectionKind;
using session::SelectionState;

void explain(const char* what) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", what);
}

const std::string& piece_word(const std::string& finder) {
  return analysis::require_finder(finder).words().piece;
}

std::string in_words(const SelectionState& selection) {
  switch (selection.kind) {
    case analysis::SelectionKind::None:
      return "Nothing is selected.";
    case analysis::SelectionKind::Box:
      return fmt::format("Box from {:.6g} {:.6g} {:.6g} to {:.6g} {:.6g} {:.6g}", selection.low[0],
                         selection.low[1], selection.low[2], selection.high[0], selection.high[1],
                         selection.high[2]);
    case analysis::SelectionKind::Sphere:
      if (selection.inner)
        return fmt::format("Between the radii {:.6g} and {:.6g} about {:.6g} {:.6g} {:.6g}",
                           *selection.inner, selection.radius, selection.center[0],
                           selection.center[1], selection.center[2]);
      return fmt::format("Sphere of radius {:.6g} about {:.6g} {:.6g} {:.6g}", selection.radius,
                         selection.center[0], selection.center[1], selection.center[2]);
    case analysis::SelectionKind::Piece:
      return fmt::format("Members of {} {}", piece_word(selection.finder), selection.piece);
    case analysis::SelectionKind::Value:
      if (selection.second_limits)
        return fmt::format("{} from {:.6g} to below {:.6g}, {} from {:.6g} to below {:.6g}",
                           selection.field, selection.limits[0], selection.limits[1],
                           selection.second_field, (*selection.second_limits)[0],
                           (*selection.second_limits)[1]);
      return fmt::format("{} from {:.6g} to below {:.6g}", selection.field, selection.limits[0],
                         selection.limits[1]);
    case analysis::SelectionKind::Branch:
      if (!selection.numbers.empty())
        return fmt::format("Members of {} branches of the {}",
                           analysis::count_in(selection.numbers),
                           analysis::require_finder(selection.finder).words().found());
      return fmt::format("Members of branch {} of the {}", selection.piece,
                         analysis::require_finder(selection.finder).words().found());
    case analysis::SelectionKind::Outline:
      return fmt::format("Inside a line of {} corners over the picture",
                         selection.outline ? selection.outline->corners.size() : 0);
    case analysis::SelectionKind::Pieces:
      if (!selection.numbers.empty())
        return fmt::format("Members of {} {}", analysis::count_in(selection.numbers),
                           analysis::require_finder(selection.finder).words().found());
      return fmt::format("Members of the {} with {} from {:.6g} to below {:.6g}",
                         analysis::require_finder(selection.finder).words().found(),
                         selection.field, selection.limits[0], selection.limits[1]);
    case analysis::SelectionKind::FoundValue:
      return fmt::format("{} of {} from {:.6g} to below {:.6g}", selection.field, selection.finder,
                         selection.limits[0], selection.limits[1]);
  }
  return {};
}

// ---- what is selected

void show_types(const analysis::SelectionCount& count) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("selected", 3, kFlags)) return;
  ImGui::TableSetupColumn("Type");
  ImGui::TableSetupColumn("Selected");
  ImGui::TableSetupColumn("Mass");
  ImGui::TableHeadersRow();
  const double factor = analysis::without_power(count.mass_unit).factor;
  const auto row = [&](const std::string& name, std::uint64_t selected,
                       const std::optional<double>& mass) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(name.c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(grouped(selected).c_str());
    ImGui::TableNextColumn();
    if (selected > 0)
      ImGui::TextUnformatted(mass ? readable(*mass * factor, 5).c_str() : "not known");
  };
  for (const auto& type : count.types) row(type.name, type.selected, type.mass);
  if (count.types.size() > 1) row("all", count.selected(), count.mass());
  ImGui::EndTable();
}

void show_count(const analysis::SelectionCount& count) {
  if (count.sought)
    ImGui::TextWrapped("%s of %s particles found here by their IDs.", grouped(count.found).c_str(),
                       grouped(*count.sought).c_str());
  if (count.selected() == 0) {
    ImGui::TextWrapped("No particle is in it.");
    return;
  }
  show_types(count);
  if (count.mass() && !count.mass_unit.empty())
    ImGui::TextDisabled("Mass in %s", analysis::without_power(count.mass_unit).unit.c_str());
  for (const auto& sentence : count.said) ImGui::TextWrapped("%s", sentence.c_str());
}

void show_selected(const PanelInput& input) {
  const SelectionState& selection = input.state.selection;
  ImGui::TextWrapped("%s", in_words(selection).c_str());
  if (selection.kind == analysis::SelectionKind::None) return;
  if (input.state.snapshots.size() > 1)
    ImGui::TextDisabled("made in snapshot %zu of %zu", selection.made_in + 1,
                        input.state.snapshots.size());
  if (input.jobs[session::JobKind::Count].busy) {
    show_job_bar(input, session::JobKind::Count);
  } else if (input.selected) {
    show_count(*input.selected);
  } else {
    ImGui::TextWrapped(
        "%s", input.selection_fault.empty() ? "Not counted." : input.selection_fault.c_str());
    if (ImGui::Button("Count")) input.emit("count_selection");
  }
  bool follow = selection.follow_ids;
  if (ImGui::Checkbox("Follow IDs", &follow))
    input.emit(fmt::format("follow_ids {}", follow ? "on" : "off"));
  explain("In other snapshots of the series, the same particles");
  ImGui::SameLine();
  if (ImGui::Button("None")) input.emit("select_none");
}

void show_export(const PanelInput& input) {
  PanelMemory& memory = input.memory;
  ImGui::InputText("Snapshot", memory.selection_file.data(), memory.selection_file.size(),
                   ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::Button("Write selection"))
    input.emit(fmt::format("export_selection {}{}", session::quoted(memory.selection_file.data()),
                           overwrite_word(memory)));
  explain("The selected particles with all their columns, as HDF5");
  show_overwrite(input);
}

// ---- what to select

// Typed numbers follow what a command has selected.
void follow_state(const PanelInput& input) {
  SelectionDraft& draft = input.memory.selection;
  const SelectionState& now = input.state.selection;
  if (now.kind != analysis::SelectionKind::None && !(now == draft.of)) {
    SelectionState typed = now;
    // Of the other kinds what was typed stays.
    if (now.kind != analysis::SelectionKind::Box) {
      typed.low = draft.typed.low;
      typed.high = draft.typed.high;
    }
    if (now.kind != analysis::SelectionKind::Sphere) {
      typed.center = draft.typed.center;
      typed.radius = draft.typed.radius;
    }
    if (now.kind == analysis::SelectionKind::Piece)
      input.memory.finders[now.finder].piece = int(std::min<std::uint64_t>(now.piece, 1u << 30));
    const bool found = now.kind == analysis::SelectionKind::FoundValue;
    if (found || now.kind == analysis::SelectionKind::Value) {
      draft.field = {};  // copy() ends no text
      now.field.copy(draft.field.data(), draft.field.size() - 1);
      draft.finder = found ? now.finder : "";
      typed.kind = analysis::SelectionKind::Value;
    } else {
      typed.limits = draft.typed.limits;
      typed.second_field = draft.typed.second_field;
      typed.second_limits = draft.typed.second_limits;
    }
    // These are drawn, or chosen in a plot.
    using Kind = analysis::SelectionKind;
    if (now.kind == Kind::Branch || now.kind == Kind::Pieces || now.kind == Kind::Outline)
      typed.kind = draft.typed.kind;
    draft.typed = typed;
    draft.of = now;
  }
  if (draft.typed.kind == analysis::SelectionKind::None)
    draft.typed.kind = analysis::SelectionKind::Box;
  const Vec& center = input.state.camera->center;
  const double side = input.scene->bounds.high[0] - input.scene->bounds.low[0];
  if (!(draft.typed.radius > 0)) {
    draft.typed.center = center;
    draft.typed.radius = 0.05 * side;
  }
  if (draft.typed.low == draft.typed.high)
    for (std::size_t c = 0; c < 3; ++c) {
      draft.typed.low[c] = center[c] - 0.05 * side;
      draft.typed.high[c] = center[c] + 0.05 * side;
    }
}

void emit_box(const PanelInput& input, const SelectionState& typed) {
  input.emit(fmt::format("select_box {} {} {} {} {} {}", typed.low[0], typed.low[1], typed.low[2],
                         typed.high[0], typed.high[1], typed.high[2]));
}

void emit_sphere(const PanelInput& input, const Vec& center, double radius) {
  input.emit(fmt::format("select_sphere {} {} {} {}", center[0], center[1], center[2], radius));
}

void show_box(const PanelInput& input, SelectionState& typed) {
  number_fields(input, "Low corner", typed.low.data(), 3, "%.6g");
  number_fields(input, "High corner", typed.high.data(), 3, "%.6g");
  if (ImGui::Button("Select box")) emit_box(input, typed);
  ImGui::SameLine();
  if (ImGui::Button("Box about the center")) {
    for (std::size_t c = 0; c < 3; ++c) {
      // Its first corner is the higher one where it goes around the edge.
      double side = typed.high[c] - typed.low[c];
      if (side < 0 && input.scene->info.periodic) side += input.scene->info.box_size;
      const double half = std::abs(side) / 2;
      typed.low[c] = input.state.camera->center[c] - half;
      typed.high[c] = input.state.camera->center[c] + half;
    }
    emit_box(input, typed);
  }
  explain("As large as these corners say, about the middle of the picture");
}

void show_sphere(const PanelInput& input, SelectionState& typed) {
  number_fields(input, "Center", typed.center.data(), 3, "%.6g");
  number_field(input, "Radius", typed.radius, "%.6g");
  ImGui::BeginDisabled(!(typed.radius > 0));
  if (ImGui::Button("Select sphere")) emit_sphere(input, typed.center, typed.radius);
  ImGui::SameLine();
  if (ImGui::Button("About the center")) {
    typed.center = input.state.camera->center;
    emit_sphere(input, typed.center, typed.radius);
  }
  explain("Of this radius, about the middle of the picture");
  ImGui::EndDisabled();
  if (!input.finding || !input.finding->radius_column) return;
  const auto piece = chosen_piece(input);
  ImGui::SameLine();
  const std::string& word = piece_word(input.state.shown_finder);
  const analysis::PieceColumn& column = input.finding->columns[*input.finding->radius_column];
  const double radius = piece ? column.values[*piece] : analysis::kNotThere;
  ImGui::BeginDisabled(!(radius > 0));
  if (ImGui::Button(column.title.c_str()) && radius > 0)
    emit_sphere(input, input.finding->places[*piece].center, radius);
  explain(
      fmt::format("The selected {}'s center and {}, where it has one", word, column.title).c_str());
  ImGui::EndDisabled();
}

void show_members(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  int& chosen_number = input.memory.finders[words.name].piece;
  if (!words.has_pieces()) {
    ImGui::TextWrapped("What %s finds has no members.", words.found().c_str());
    return;
  }
  if (!input.finding || input.finding->pieces == 0) {
    ImGui::TextWrapped("No %s have been found in this snapshot: the page Find finds them.",
                       words.pieces.c_str());
    return;
  }
  const int last = int(std::min<std::uint64_t>(input.finding->pieces - 1, 1u << 30));
  whole_number_field(input, analysis::capitalized(words.piece).c_str(), chosen_number, {0, last});
  chosen_number = std::clamp(chosen_number, 0, last);
  if (ImGui::Button("Select members")) input.emit(fmt::format("select_members {}", chosen_number));
  const bool chosen = chosen_piece(input).has_value();
  ImGui::SameLine();
  ImGui::BeginDisabled(!chosen);
  if (ImGui::Button(fmt::format("Selected {}'s", words.piece).c_str()))
    input.emit("select_members");
  ImGui::EndDisabled();
}

void choose_field(SelectionDraft& draft, const std::string& field, const std::string& finder) {
  const bool chosen = draft.field.data() == field && draft.finder == finder;
  const std::string words = finder.empty() ? field : fmt::format("{} of {}", field, finder);
  if (!ImGui::Selectable(words.c_str(), chosen)) return;
  draft.field = {};
  field.copy(draft.field.data(), draft.field.size() - 1);
  draft.finder = finder;
}

std::set<std::string> snapshot_fields(const PanelInput& input) {
  std::set<std::string> names;
  if (input.facts)
    for (const auto& [type, fields] : input.facts->fields)
      names.insert(fields.begin(), fields.end());
  return names;
}

// Of the particles in both ranges.
void show_second_value(const PanelInput& input, SelectionState& typed) {
  if (ImGui::BeginCombo("And", typed.second_limits ? typed.second_field.c_str() : "no other")) {
    if (ImGui::Selectable("no other", !typed.second_limits)) {
      typed.second_limits.reset();
      typed.second_field.clear();
    }
    for (const auto& name : snapshot_fields(input))
      if (ImGui::Selectable(name.c_str(), typed.second_limits && typed.second_field == name)) {
        typed.second_field = name;
        if (!typed.second_limits) typed.second_limits = {{0, 1}};
      }
    ImGui::EndCombo();
  }
  if (!typed.second_limits) return;
  number_field(input, "From##second", (*typed.second_limits)[0], "%.6g");
  number_field(input, "To below##second", (*typed.second_limits)[1], "%.6g");
}

void show_value(const PanelInput& input, SelectionState& typed) {
  SelectionDraft& draft = input.memory.selection;
  const std::string field = draft.field.data();
  const std::string seen =
      draft.finder.empty() ? field : fmt::format("{} of {}", field, draft.finder);
  if (ImGui::BeginCombo("Field", seen.c_str())) {
    for (const auto& name : snapshot_fields(input)) choose_field(draft, name, {});
    if (input.finding)
      for (const auto& [name, values] : input.finding->fields)
        choose_field(draft, name, input.finding->finder);
    ImGui::EndCombo();
  }
  number_field(input, "From", typed.limits[0], "%.6g");
  number_field(input, "To below", typed.limits[1], "%.6g");
  if (draft.finder.empty()) show_second_value(input, typed);
  const auto& second = typed.second_limits;
  const bool of_two = draft.finder.empty() && second;
  const bool good = draft.field[0] != 0 && typed.limits[0] < typed.limits[1] &&
                    (!of_two || (*second)[0] < (*second)[1]);
  ImGui::BeginDisabled(!good);
  if (ImGui::Button("Select range")) {
    const std::string first =
        fmt::format("{} {} {}", session::quoted(field), typed.limits[0], typed.limits[1]);
    input.emit(of_two ? fmt::format("select_values {} {} {} {}", first,
                                    session::quoted(typed.second_field), (*second)[0], (*second)[1])
                      : fmt::format("select_value {}{}{}", first, draft.finder.empty() ? "" : " ",
                                    draft.finder));
  }
  ImGui::EndDisabled();
}

void show_choice(const PanelInput& input) {
  follow_state(input);
  SelectionState& typed = input.memory.selection.typed;
  const auto kind = [&](const char* name, analysis::SelectionKind value) {
    if (ImGui::RadioButton(name, typed.kind == value)) typed.kind = value;
  };
  kind("Box", analysis::SelectionKind::Box);
  ImGui::SameLine();
  kind("Sphere", analysis::SelectionKind::Sphere);
  ImGui::SameLine();
  kind("Members", analysis::SelectionKind::Piece);
  ImGui::SameLine();
  kind("Value", analysis::SelectionKind::Value);
  if (typed.kind == analysis::SelectionKind::Box) show_box(input, typed);
  if (typed.kind == analysis::SelectionKind::Sphere) show_sphere(input, typed);
  if (typed.kind == analysis::SelectionKind::Piece) show_members(input);
  if (typed.kind == analysis::SelectionKind::Value) show_value(input, typed);
}

}  // namespace

void show_selection_panel(const PanelInput& input) {
  if (!input.scene || !input.state.camera) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  show_following(input);
  show_choice(input);
  ImGui::Separator();
  show_selected(input);
  if (input.state.selection.kind != analysis::SelectionKind::None) show_export(input);
  show_set_list(input);
}

}  // namespace haloscope::app::viewer
