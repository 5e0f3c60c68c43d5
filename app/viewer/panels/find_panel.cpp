#include "analysis/finder.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/option_parsing/option_names.h"
#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "analysis/particle_colors.h"
#include "app/session/command_text.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/color_controls.h"
#include "app/viewer/panels/cut_slider.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/option_widgets.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/page_words.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/piece_actions.h"
#include "app/viewer/panels/pressed_keys.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/search_draft.h"
#include "app/viewer/panels/shown_plot.h"
#include "io/snapshots/gadget_units.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <imgui.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

void show_option(const PanelInput& input, SearchDraft& draft, const std::string& name,
                 const std::string& length_unit) {
  OptionWidgets widgets(input, draft, name, length_unit);
  visit(widgets, draft.options);
}

// Those that the window always shows come first, in their order; the others are folded.
void show_options(const PanelInput& input, SearchDraft& draft) {
  const std::string unit = io::length_unit(input.scene->info.units);
  analysis::OptionNames options;
  visit(options, draft.options);
  std::map<int, std::string> usual;
  for (std::size_t k = 0; k < options.names.size(); ++k)
    if (options.abouts[k].usual > 0) usual[options.abouts[k].usual] = options.names[k];
  for (const auto& [place, name] : usual) show_option(input, draft, name, unit);
  if (!draft.unfolded) return;
  for (std::size_t k = 0; k < options.names.size(); ++k)
    if (options.abouts[k].usual == 0) show_option(input, draft, options.names[k], unit);
}

// A text as values_of() has it, of each option.
std::map<std::string, std::string> texts_of(const analysis::AnyOptions& options) {
  std::map<std::string, std::string> texts;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    texts[one.name] = one.text();
  return texts;
}

// The preset that the options are of; null: they are the user's own.
const analysis::OptionPreset* chosen_preset(const std::vector<analysis::OptionPreset>& presets,
                                            const analysis::AnyOptions& options) {
  const auto texts = texts_of(options);
  for (const analysis::OptionPreset& preset : presets) {
    const auto is_set = [&](const auto& value) {
      const auto text = texts.find(value.first);
      return text != texts.end() && text->second == value.second;
    };
    if (std::all_of(preset.values.begin(), preset.values.end(), is_set)) return &preset;
  }
  return nullptr;
}

// What a preset does not speak of stays as it was typed.
void choose_preset(SearchDraft& draft, const analysis::Finder& finder) {
  const std::vector<analysis::OptionPreset> presets = finder.presets();
  if (presets.empty()) return;
  const analysis::OptionPreset* const chosen = chosen_preset(presets, draft.options);
  if (!ImGui::BeginCombo("Preset", chosen ? chosen->name.c_str() : "own choice")) return;
  for (const analysis::OptionPreset& preset : presets) {
    if (ImGui::Selectable(preset.name.c_str(), &preset == chosen))
      for (const auto& [name, text] : preset.values)
        analysis::read_option(draft.options, name, text);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", preset.help.c_str());
  }
  ImGui::EndCombo();
}

// Why no search can be asked for that; empty: it can.
std::string why_not(const SearchDraft& draft, const analysis::Finder& finder) {
  try {
    finder.require_options(draft.meant(), nullptr);
    return {};
  } catch (const analysis::OptionError& error) {
    return analysis::spelled(error.what(), [&](const std::string& option) {
      return title_of_option(draft.options, option);
    });
  }
}

// `entered`: a field of the options was left by Enter.
void show_start(const PanelInput& input, SearchDraft& draft, const analysis::Finder& finder,
                bool entered) {
  const std::string fault = why_not(draft, finder);
  ImGui::BeginDisabled(!fault.empty());
  const bool pressed = ImGui::Button(finder.words().button_words().c_str());
  ImGui::EndDisabled();
  if (entered && !fault.empty() && input.complain) input.complain(fault);
  if (pressed || (entered && fault.empty())) input.emit(search_line(draft, finder.name()));
  if (!fault.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s", fault.c_str());
  ImGui::SameLine();
  if (ImGui::Button(draft.unfolded ? "Fewer options" : "More options"))
    draft.unfolded = !draft.unfolded;
}

// Whether a field was left by Enter, with something in it that it takes.
bool show_options_for_enter(const PanelInput& input, SearchDraft& draft) {
  if (!key_pressed(ImGuiKey_Enter)) {
    show_options(input, draft);
    return false;
  }
  bool refused = false;
  PanelInput heard = input;
  heard.complain = [&](const std::string& fault) {
    refused = true;
    if (input.complain) input.complain(fault);
  };
  ImGui::BeginGroup();
  show_options(heard, draft);
  ImGui::EndGroup();
  return ImGui::IsItemDeactivated() && !refused;
}

// Of the field that the particles are colored by.
void show_field_color(const PanelInput& input, const analysis::Finder& finder) {
  const session::FindingState& state = input.state.finding(finder.name());
  if (!input.finding || !state.color_particles || state.color_field.empty()) return;
  const auto field = input.finding->fields.find(state.color_field);
  if (field == input.finding->fields.end() || !analysis::has_values(field->second)) return;
  const auto color = render::chosen_color(state.look, analysis::ranging_of(field->second));
  choose_color_map(input, finder.name(), state.look.color_map);
  choose_scale(input, finder.name(), color);
  choose_limits(input, finder.name(), limits_of(state.look, color));
}

// A box per kind of colors that the finding has, or will have.
void show_coloring(const PanelInput& input, const analysis::Finder& finder) {
  const session::FindingState& state = input.state.finding(finder.name());
  const auto box = [&](const std::string& words, const std::string& field) {
    bool on = state.color_particles && state.color_field == field;
    if (ImGui::Checkbox(("Color particles by " + words).c_str(), &on))
      input.emit(on ? fmt::format("color_by {}{}", finder.name(),
                                  field.empty() ? "" : " " + session::as_word(field))
                    : "color_by off");
  };
  const bool unknown =
      finder.words().has_pieces() && (!input.finding || input.finding->fields.empty());
  const bool on = state.color_particles && state.color_field.empty();
  if (unknown || (input.finding && (input.finding->labels || input.finding->resident)) || on)
    box(!finder.words().has_pieces() ? finder.words().found()
        : input.finding              ? analysis::piece_word(*input.finding, finder.words(), 1)
                                     : finder.words().piece,
        {});
  std::set<std::string> fields;
  if (input.finding)
    for (const auto& [name, field] : input.finding->fields)
      if (analysis::has_values(field)) fields.insert(name);
  // What is on can be switched off, whether this search has found it or not.
  if (state.color_particles && !state.color_field.empty()) fields.insert(state.color_field);
  for (const std::string& name : fields) box(analysis::spaced(name), name);
  show_field_color(input, finder);
}

void show_search(const PanelInput& input, const analysis::Finder& finder) {
  SearchDraft& draft = input.memory.finders[finder.name()].draft;
  draft.follow(input.state.finding(finder.name()), finder, input.scene->info, input.finding);
  choose_preset(draft, finder);
  const bool entered = show_options_for_enter(input, draft);
  // Another finder's search lets this one wait for its turn.
  const Worker::Status& search = input.jobs[session::JobKind::Find];
  show_job_bar(input, session::JobKind::Find);
  if (!search.busy || search.name != "finding " + finder.name())
    show_start(input, draft, finder, entered);
  show_cut_slider(input);
  show_coloring(input, finder);
}

// "mass_function" → "Mass function"
std::string title_of(const std::string& name) {
  return analysis::capitalized(analysis::spaced(name));
}

// The catalog, or where there is none the fields.
void show_writing(const PanelInput& input, const analysis::Finding& finding) {
  const bool catalog = !finding.catalog.tables.empty();
  if (!catalog && finding.fields.empty()) return;
  auto& file = input.memory.finders[finding.finder].catalog_file;
  if (file[0] == 0) (finding.finder + ".hdf5").copy(file.data(), file.size() - 1);
  ImGui::InputText(catalog ? "Catalog" : "Values", file.data(), file.size(),
                   ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::Button(catalog ? "Write catalog" : "Write values"))
    input.emit(fmt::format("export {} {}{}", finding.finder, session::quoted(file.data()),
                           overwrite_word(input.memory)));
  show_overwrite(input);
}

// What was found, and where it is seen.
void show_found(const PanelInput& input, const analysis::FinderWords& words) {
  const analysis::Finding& finding = *input.finding;
  const SearchDraft& draft = input.memory.finders[finding.finder].draft;
  if (!asks_for(draft, analysis::require_finder(finding.finder), input.scene->info,
                finding.options))
    ImGui::TextDisabled("Found with other options.");
  if (analysis::found_nothing(finding)) {
    ImGui::TextWrapped("%s", words.none_found.c_str());
    return;
  }
  if (finding.pieces > 0) {
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%s %s", grouped(finding.pieces).c_str(),
                analysis::piece_word(finding, words, finding.pieces).c_str());
    ImGui::SameLine();
    if (ImGui::Button("Table")) input.emit("shelf table");
    show_piece_actions(input);
  }
  for (const analysis::Plot& plot : finding.plots) {
    const std::string title = title_of(plot.name);
    if (finding.pieces > 0 || &plot != &finding.plots.front()) same_line_if_fits(title.c_str());
    if (ImGui::Button(title.c_str())) show_plot_of(input, plot.name);
  }
  show_writing(input, finding);
}

// What there is to compare with what is listed, as the commands that do it.
struct Rival {
  std::string title, line;
};
std::vector<Rival> rivals(const PanelInput& input) {
  std::vector<Rival> all;
  const std::string& listed = input.state.shown_finder;
  if (input.searched_before)
    all.push_back({analysis::require_finder(listed).words().pieces + " of the search before",
                   "compare " + listed});
  for (const auto& [finder, state] : input.state.findings)
    if (finder != listed && state.searched && analysis::require_finder(finder).words().has_pieces())
      all.push_back({analysis::spaced(finder), "compare " + finder});
  return all;
}

// How many of both are at least so massive is what one looks at first.
void ask_to_compare(const PanelInput& input, const Rival& other) {
  input.emit(other.line);
  show_plot_of(input, "compared_counts");
}

void show_shown_results(const PanelInput& input) {
  static constexpr std::array<const char*, 4> kNames{"Both", "A", "B", "Differences"};
  const auto& words = session::shown_results_words();
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (k > 0) ImGui::SameLine();
    if (ImGui::RadioButton(kNames[k], std::size_t(input.state.compared->show) == k))
      input.emit("show_compared " + words[k]);
  }
}

// Another result beside the one that is listed.
void show_comparison(const PanelInput& input) {
  const std::vector<Rival> others = rivals(input);
  const auto& compared = input.state.compared;
  if (others.empty() && !compared) return;
  ImGui::Separator();
  // The first one is a press away.
  if (!compared) {
    for (const Rival& other : others)
      if (ImGui::Button(("Compare with " + other.title).c_str())) ask_to_compare(input, other);
    return;
  }
  if (ImGui::BeginCombo("Compare with", title_of(compared->finder).c_str())) {
    if (ImGui::Selectable("nothing", !compared)) input.emit("compare off");
    for (const Rival& other : others)
      if (ImGui::Selectable(analysis::capitalized(other.title).c_str()))
        ask_to_compare(input, other);
    ImGui::EndCombo();
  }
  show_shown_results(input);
  show_job_bar(input, session::JobKind::Compare);
  if (!input.comparison.fault.empty()) ImGui::TextWrapped("%s", input.comparison.fault.c_str());
  if (!input.compared) return;
  for (const std::string& words : input.comparison.made->words)
    ImGui::TextWrapped("%s", words.c_str());
  for (const analysis::Plot& plot : input.comparison.made->plots) {
    const std::string title = plot.name == "compared_counts" ? "Counts" : title_of(plot.name);
    if (&plot != &input.comparison.made->plots.front()) same_line_if_fits(title.c_str());
    if (ImGui::Button(title.c_str())) show_plot_of(input, plot.name);
  }
}

// A plane of the grid through the picture.
void show_slice(const PanelInput& input) {
  const auto& grid = input.grid;
  if (!grid) return;
  const render::SliceChoice& slice = input.state.slice;
  static constexpr const char* kAxes[] = {"off", "x", "y", "z"};
  int chosen = slice.axis ? int(*slice.axis) + 1 : 0;
  ImGui::Separator();
  if (ImGui::Combo("Slice of the grid", &chosen, kAxes, 4))
    input.emit(std::string("slice ") + kAxes[chosen]);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", "A plane of the grid across an axis, over the picture.");
  if (!slice.axis) return;
  const std::size_t axis = *slice.axis;
  const double low = grid->bounds.low[axis], high = grid->bounds.high[axis];
  double position = slice.position;
  if (ImGui::SliderScalar("Position", ImGuiDataType_Double, &position, &low, &high, "%.5g",
                          ImGuiSliderFlags_NoInput))
    input.emit(fmt::format("slice {} {}", "xyz"[axis], std::clamp(position, low, high)));
  float percent = float(100 * slice.opacity);
  if (ImGui::SliderFloat("Opacity", &percent, 0, 100, "%.0f %%"))
    input.emit(fmt::format("slice_opacity {:.2f}", percent / 100));
  if (!input.slice) return;
  ImGui::PushID("slice");
  const auto color = render::slice_color(input.slice);
  choose_color_map(input, session::kSliceWord, slice.look.color_map);
  choose_scale(input, session::kSliceWord, color);
  choose_limits(input, session::kSliceWord, limits_of(slice.look, color));
  ImGui::PopID();
}

// One finder's options and results at a time.
void choose_finder(const PanelInput& input) {
  if (analysis::finders().size() < 2) return;
  const std::string& now = input.state.shown_finder;
  if (!ImGui::BeginCombo("What", title_of(now).c_str())) return;
  for (const auto& finder : analysis::finders()) {
    if (ImGui::Selectable(title_of(finder->name()).c_str(), finder->name() == now))
      input.emit("structures " + finder->name());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", finder->words().help.c_str());
  }
  ImGui::EndCombo();
}

}  // namespace

void show_find_panel(const PanelInput& input) {
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  choose_finder(input);
  const analysis::Finder& finder = analysis::require_finder(input.state.shown_finder);
  // Fields of two finders may have one label.
  ImGui::PushID(finder.name().c_str());
  show_search(input, finder);
  if (input.finding) {
    ImGui::Separator();
    show_found(input, finder.words());
    show_comparison(input);
    if (finder.name() == session::finder_with_grid()) show_slice(input);
  }
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
