#include "app/viewer/panels/option_widgets.h"

#include "app/viewer/panels/number_field.h"
#include "core/text_values.h"

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr int kLargestTyped = 1 << 30;

int as_typed(std::uint64_t value) {
  return int(std::min(value, std::uint64_t(kLargestTyped)));
}

// Left of the page, where it hides no other option, if there is room.
void explain_by(const char* help) {
  if (!ImGui::IsItemHovered()) return;
  const float room = ImGui::GetWindowPos().x - ImGui::GetMainViewport()->Pos.x;
  if (ImGui::CalcTextSize(help).x + 2 * ImGui::GetStyle().WindowPadding.x < room)
    ImGui::SetNextWindowPos({ImGui::GetWindowPos().x, ImGui::GetItemRectMin().y}, 0, {1, 0});
  ImGui::SetTooltip("%s", help);
}
void explain(const analysis::OptionAbout& about) {
  explain_by(about.help);
}

// 0 stands for no value too.
void input_optional(const PanelInput& input, const char* label, std::optional<double>& value,
                    const char* hint = "") {
  if (optional_number_field(input, label, value, "%.4g", hint) && value && !(*value > 0))
    value.reset();
}

}  // namespace

void OptionWidgets::show_list(const analysis::OptionAbout& about) {
  auto& text = draft_.lists[name_];
  ImGui::InputTextWithHint(about.label, draft_.hints[name_].c_str(), text.data(), text.size());
  explain(about);
}

// A number, and whether it is in mean spacings or a length in the snapshot's unit.
void OptionWidgets::show_pair(std::optional<double>& second, const analysis::OptionAbout& about) {
  const char* const kinds[] = {"mean spacings", length_unit_.c_str()};
  const float wide = ImGui::CalcItemWidth(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  bool& by_second = draft_.by_second[name_];
  ImGui::SetNextItemWidth(0.34f * wide - gap);
  ImGui::PushID(name_.c_str());
  // Its title stands behind the choice, and in what is told of the field.
  const std::string label = std::string("##") + about.label;
  ImGui::PushID(by_second ? "second" : "first");
  if (by_second)
    input_optional(input_, label.c_str(), second);
  else if (number_)
    number_field(input_, label.c_str(), *number_, "%.3g");
  else
    input_optional(input_, label.c_str(), *optional_number_);
  ImGui::PopID();
  explain_by(by_second ? about.help : first_help_);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(0.66f * wide);
  int kind = by_second ? 1 : 0;
  if (ImGui::Combo(about.label, &kind, kinds, 2)) by_second = kind == 1;
  ImGui::PopID();
}

void OptionWidgets::show_length(std::optional<double>& value, const analysis::OptionAbout& about) {
  input_optional(input_, about.label, value, *about.hint ? about.hint : "not given");
  explain(about);
}

void OptionWidgets::show_flag(bool& value, const analysis::OptionAbout& about) {
  ImGui::Checkbox(about.label, &value);
  explain(about);
}

// What is typed is kept apart from its value, or no blank could be typed within it.
void OptionWidgets::show_text(std::string& value, const analysis::OptionAbout& about) {
  auto& typed = draft_.typed_texts[name_];
  if (trimmed(typed.data()) != value) {
    typed = {};
    value.copy(typed.data(), typed.size() - 1);
  }
  const char* const hint = *about.hint ? about.hint : about.empty;
  ImGui::InputTextWithHint(about.label, hint, typed.data(), typed.size());
  explain(about);
  value = trimmed(typed.data());
}

std::uint64_t OptionWidgets::show_count(std::uint64_t value, int least,
                                        const analysis::OptionAbout& about) {
  int typed = as_typed(value);
  whole_number_field(input_, about.label, typed, {least, kLargestTyped});
  explain(about);
  return std::uint64_t(std::max(typed, least));
}

bool OptionWidgets::show_zero_word(bool on, const analysis::OptionAbout& about) {
  const std::string label = std::string(about.zero) + "##" + about.label;
  ImGui::Checkbox(label.c_str(), &on);
  explain(about);
  if (on) {
    ImGui::SameLine();
    ImGui::TextUnformatted(about.label);
  }
  return on;
}

std::uint64_t OptionWidgets::show_hinted_count(std::uint64_t value,
                                               const analysis::OptionAbout& about) {
  std::optional<int> typed;
  if (value > 0) typed = as_typed(value);
  optional_whole_number_field(input_, about.label, typed, about.hint, {0, kLargestTyped});
  explain(about);
  return std::uint64_t(typed.value_or(0));
}

std::size_t OptionWidgets::show_choice(std::size_t chosen, const std::vector<const char*>& words,
                                       const analysis::OptionAbout& about) {
  int at = int(chosen);
  ImGui::Combo(about.label, &at, words.data(), int(words.size()));
  explain(about);
  return std::size_t(at);
}

}  // namespace haloscope::app::viewer
