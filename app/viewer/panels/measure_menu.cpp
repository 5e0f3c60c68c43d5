#include "app/viewer/panels/measure_menu.h"

#include "analysis/finder.h"
#include "analysis/measuring/option_numbers.h"
#include "analysis/option_parsing/option_error.h"
#include "app/session/command_text.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panel_input.h"
#include "app/viewer/panels/shown_plot.h"
#include "core/text_values.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <filesystem>
#include <imgui.h>
#include <set>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kMenu = "measure";
constexpr float kMenuWidth = 320, kFieldWidth = 190;  // points

// A state file may hold what is no point; the measuring tells that.
std::optional<Vec> point_of(const std::string& center) {
  try {
    return analysis::three_numbers("center", center);
  } catch (const analysis::OptionError&) {
    return {};
  }
}

// Numbers and choices follow the last request; lists are kept as they are typed.
void follow(const PanelInput& input, MeasureDraft& draft) {
  const auto put = [](std::array<char, 128>& typed, const std::vector<std::string>& list) {
    typed = {};
    fmt::format("{}", fmt::join(list, ",")).copy(typed.data(), typed.size() - 1);
  };
  if (input.state.profile != draft.profile_of) {
    draft.profile_of = input.state.profile;
    if (draft.profile_of) {
      draft.profile = draft.profile_of->options;
      draft.about = !draft.profile_of->finder.empty() ? ProfileOf::Selected
                    : draft.profile.structure         ? ProfileOf::Row
                                                      : ProfileOf::Point;
      draft.point = point_of(draft.profile.center);
      put(draft.profile_texts.lists["types"], draft.profile.types);
    }
  }
  if (input.state.phase != draft.phase_of) {
    draft.phase_of = input.state.phase;
    if (draft.phase_of) {
      draft.phase = draft.phase_of->options;
      put(draft.phase_texts.lists["types"], draft.phase.types);
    }
  }
}

// The piece that is listed and selected, in words; empty: none.
std::string selected_piece(const PanelInput& input) {
  const auto number = input.state.shown().selected;
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding || !number || !words.has_pieces()) return {};
  return fmt::format("{} {}", words.piece, *number);
}

template <class O>
void show_options_of(const PanelInput& input, OptionDraft& texts, O& options,
                     std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    OptionWidgets widgets(input, texts, name, io::length_unit(input.scene->info.units));
    visit(widgets, options);
  }
}

std::string with_types(const std::string& line, const OptionDraft& texts) {
  const auto typed = texts.lists.find("types");
  const std::string types = typed == texts.lists.end() ? "" : trimmed(typed->second.data());
  return types.empty() ? line : line + " " + session::as_word("types=" + types);
}

void ask_for_profile(const PanelInput& input, const MeasureDraft& draft, ProfileOf about) {
  session::ProfileState asked{draft.profile, "", 0};
  asked.options.types.clear();
  asked.options.center.clear();
  if (about != ProfileOf::Row) {
    asked.options.structure.reset();
    asked.options.catalog.clear();
    asked.options.table.clear();
  }
  if (about == ProfileOf::Point) {
    const Vec point = draft.point.value_or(input.state.camera->center);
    asked.options.center = fmt::format("{},{},{}", point[0], point[1], point[2]);
  } else if (about == ProfileOf::Selected) {
    asked.finder = input.state.shown_finder;
    asked.piece = input.state.shown().selected.value_or(0);
  }
  input.emit(with_types(session::profile_line(asked), draft.profile_texts));
  show_plot_of(input, "profile_density");
}

// "Row 3 of halos.hdf5": of the catalog that was asked for last.
std::string row_in_words(const analysis::ProfileOptions& options) {
  return fmt::format("Row {} of {}", *options.structure,
                     std::filesystem::path(options.catalog).filename().string());
}

// What it is about, of that which there is.
ProfileOf choose_profile_of(const PanelInput& input, MeasureDraft& draft) {
  const std::string piece = selected_piece(input);
  const bool has_row = draft.profile.structure.has_value();
  ProfileOf about = draft.about;
  if ((about == ProfileOf::Selected && piece.empty()) || (about == ProfileOf::Row && !has_row))
    about = ProfileOf::Point;
  ImGui::BeginDisabled(piece.empty());
  if (ImGui::RadioButton(piece.empty() ? "Selected structure" : ("About " + piece).c_str(),
                         about == ProfileOf::Selected))
    draft.about = ProfileOf::Selected;
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::RadioButton("About a point", about == ProfileOf::Point))
    draft.about = ProfileOf::Point;
  if (has_row && ImGui::RadioButton(row_in_words(draft.profile).c_str(), about == ProfileOf::Row))
    draft.about = ProfileOf::Row;
  return about;
}

void show_profile(const PanelInput& input, MeasureDraft& draft) {
  ImGui::TextDisabled("Radial profile");
  const ProfileOf about = choose_profile_of(input, draft);
  if (about == ProfileOf::Point) {
    Vec point = draft.point.value_or(input.state.camera->center);
    if (number_fields(input, "Point", point.data(), 3, "%.6g")) draft.point = point;
    if (ImGui::Button("Middle of the picture")) draft.point.reset();
  }
  show_options_of(input, draft.profile_texts, draft.profile, {"radii", "bins", "types"});
  if (ImGui::Button("Measure profile")) {
    ask_for_profile(input, draft, about);
    ImGui::CloseCurrentPopup();
  }
  if (!input.state.profile) return;
  ImGui::SameLine();
  if (ImGui::Button("None##profile")) input.emit("profile off");
}

// A field of the snapshot, or one of these words.
void choose_name(const PanelInput& input, const char* label, std::string& name,
                 const std::set<std::string>& words, const char* empty) {
  std::set<std::string> names = words;
  if (input.facts)
    for (const auto& [type, fields] : input.facts->fields)
      names.insert(fields.begin(), fields.end());
  if (!ImGui::BeginCombo(label, name.empty() ? empty : name.c_str())) return;
  if (*empty && ImGui::Selectable(empty, name.empty())) name.clear();
  for (const std::string& known : names)
    if (ImGui::Selectable(known.c_str(), known == name)) name = known;
  ImGui::EndCombo();
}

void ask_for_phase(const PanelInput& input, const MeasureDraft& draft) {
  session::PhaseState asked{draft.phase};
  asked.options.types.clear();
  input.emit(with_types(session::phase_line(asked), draft.phase_texts));
  const bool of_two = asked.options.x.empty() || !asked.options.y.empty();
  show_plot_of(input, of_two ? "phase" : "histogram");
}

void show_phase(const PanelInput& input, MeasureDraft& draft) {
  analysis::PhaseOptions& options = draft.phase;
  ImGui::TextDisabled("Phase diagram, or the histogram of one field");
  choose_name(input, "x", options.x, {}, "density of the gas");
  if (options.x.empty()) {
    options.y.clear();
    ImGui::BeginDisabled();
  }
  choose_name(input, "y", options.y, {},
              options.x.empty() ? "temperature of the gas" : "none: a histogram");
  if (options.x.empty()) ImGui::EndDisabled();
  choose_name(input, "Weight", options.weight, {"mass", "count"}, "");
  show_options_of(input, draft.phase_texts, options, {"bins", "types"});
  if (ImGui::Button("Draw diagram")) {
    ask_for_phase(input, draft);
    ImGui::CloseCurrentPopup();
  }
  if (!input.state.phase) return;
  ImGui::SameLine();
  if (ImGui::Button("None##phase")) input.emit("phase off");
}

}  // namespace

void show_measure_menu(const PanelInput& input) {
  MeasureDraft& draft = input.memory.measure;
  follow(input, draft);
  ImGui::PushItemWidth(kFieldWidth * input.scale);
  ImGui::PushID("profile");
  show_profile(input, draft);
  ImGui::PopID();
  ImGui::Separator();
  ImGui::PushID("phase");
  show_phase(input, draft);
  ImGui::PopID();
  ImGui::PopItemWidth();
}

void show_measure_button(const PanelInput& input) {
  if (!input.scene || !input.state.camera) return;
  if (ImGui::Button("Measure")) ImGui::OpenPopup(kMenu);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", "A radial profile, or the phase diagram of two fields");
  ImGui::SetNextWindowSize(ImVec2(kMenuWidth * input.scale, 0));
  if (ImGui::BeginPopup(kMenu)) {
    show_measure_menu(input);
    ImGui::EndPopup();
  }
  ImGui::SameLine();
}

}  // namespace haloscope::app::viewer
