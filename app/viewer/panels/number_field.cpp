#include "app/viewer/panels/number_field.h"

#include "app/viewer/panels/pressed_keys.h"
#include "app/viewer/panels/scene_words.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <imgui.h>
#include <imgui_internal.h>
#include <optional>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using Letters = std::array<char, 64>;

Letters letters_of(const std::string& text) {
  Letters letters{};
  text.copy(letters.data(), letters.size() - 1);
  return letters;
}

// What was typed into one field of the row; throws Error for what is no value.
using Accept = std::function<void(int field, const std::string& typed)>;

// Fields in a row, each with its text while none is typed into it.
class Row {
 public:
  Row(const PanelInput& input, std::vector<std::string> texts, const char* hint = "")
      : input_(input), typing_(input.memory.typing), texts_(std::move(texts)), hint_(hint) {}

  void show() {
    const int count = int(texts_.size());
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x, width = ImGui::CalcItemWidth();
    const float each = std::floor((width - gap * float(count - 1)) / float(count));
    const float last = std::floor(width - (each + gap) * float(count - 1));
    for (int k = 0; k < count; ++k) {
      if (k > 0) ImGui::SameLine(0, gap);
      ImGui::SetNextItemWidth(std::max(1.f, k + 1 < count ? each : last));
      ImGui::PushID(k);
      show_field(texts_[std::size_t(k)]);
      ImGui::PopID();
    }
  }

  // Once the row was left: whether something was typed and taken.
  bool take(const Accept& accept) {
    // Tab may go on to the next field of the row.
    if (active_) return false;
    bool all = true, some = false;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const auto typed = typing_.find(ids_[k]);
      if (typed == typing_.end()) continue;
      const std::string text = typed->second.text;
      typing_.erase(typed);
      if (key_pressed(ImGuiKey_Escape)) continue;
      some = true;
      all = taken(accept, int(k), text) && all;
    }
    return some && all;
  }

 private:
  void show_field(const std::string& text) {
    const ImGuiID id = ImGui::GetID("##number");
    ids_.push_back(id);
    const int now = ImGui::GetFrameCount();
    auto typed = typing_.find(id);
    // Of a field that was hidden meanwhile.
    if (typed != typing_.end() && typed->second.frame < now - 1) {
      typing_.erase(typed);
      typed = typing_.end();
    }
    const std::string shown = typed == typing_.end() ? text : typed->second.text;
    Letters letters = letters_of(shown);
    ImGui::InputTextWithHint("##number", hint_, letters.data(), letters.size(),
                             ImGuiInputTextFlags_AutoSelectAll);
    active_ = active_ || ImGui::IsItemActive();
    // Another field may be given the keys before this one is drawn: each letter is kept here.
    if (typed != typing_.end() || letters.data() != shown) typing_[id] = {letters.data(), now};
  }

  bool taken(const Accept& accept, int field, const std::string& text) const {
    try {
      accept(field, text);
      return true;
    } catch (const Error& error) {
      if (input_.complain) input_.complain(error.what());
      return false;
    }
  }

  const PanelInput& input_;
  std::map<unsigned, TypedNumber>& typing_;
  std::vector<std::string> texts_;
  const char* hint_;  // of empty fields
  std::vector<ImGuiID> ids_;
  bool active_ = false;
};

// In messages, without what makes it different for Dear ImGui.
std::string name_of(const char* label) {
  const std::string whole = label;
  const auto hidden = whole.find("##");
  return hidden == 0 ? whole.substr(2) : whole.substr(0, hidden);
}

void show_label(const char* label) {
  const char* const end = ImGui::FindRenderedTextEnd(label);
  if (label == end) return;
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::TextEx(label, end);
}

// As the format says, but for %.4g and the like: 10000 and 1.5e12 read better than 1e+04
// and 1.5e+12.
std::string formatted(const char* format, double value) {
  int digits = 0;
  char kind = 0;
  if (std::sscanf(format, "%%.%d%c", &digits, &kind) == 2 && kind == 'g')
    return readable(value, digits);
  Letters letters{};
  std::snprintf(letters.data(), letters.size(), format, value);
  return letters.data();
}

// `name`: of the field, as its user reads it.
double typed_number(const std::string& name, const std::string& typed) {
  if (trimmed(typed).empty()) throw Error(name + " is empty: type a number");
  return parse_number(name, typed);
}

int whole_number(const std::string& name, const std::string& typed, const WholeRange& range) {
  // From here on a bound is no choice of anybody's, and is told to those alone who meet it.
  constexpr int kNoChoice = 1 << 30;
  const double value = typed_number(name, typed);
  if (value != std::floor(value)) throw Error("'" + typed + "' is no whole number", name);
  if (value >= range.least && value <= range.most) return int(value);
  if (range.most < kNoChoice)
    throw Error(fmt::format("{} does not lie between {} and {}", typed, range.least, range.most),
                name);
  throw Error(value < range.least
                  ? fmt::format("{} is less than {}", typed, range.least)
                  : fmt::format("{} is too large: the most is {}", typed, range.most),
              name);
}

bool whole_row(const PanelInput& input, const std::string& name, int* values, int count,
               const WholeRange& range) {
  std::vector<std::string> texts;
  for (int k = 0; k < count; ++k) texts.push_back(std::to_string(values[k]));
  Row row(input, std::move(texts));
  row.show();
  return row.take(
      [&](int k, const std::string& typed) { values[k] = whole_number(name, typed, range); });
}

bool optional_field(const PanelInput& input, const char* label, const std::string& text,
                    const char* hint, const Accept& accept) {
  ImGui::BeginGroup();
  ImGui::PushID(label);
  Row row(input, {text}, hint);
  row.show();
  const bool taken = row.take(accept);
  ImGui::PopID();
  show_label(label);
  ImGui::EndGroup();
  return taken;
}

}  // namespace

bool number_fields(const PanelInput& input, const char* label, double* values, int count,
                   const char* format) {
  std::vector<std::string> texts;
  for (int k = 0; k < count; ++k) texts.push_back(formatted(format, values[k]));
  ImGui::BeginGroup();
  ImGui::PushID(label);
  Row row(input, std::move(texts));
  row.show();
  std::vector<double> next(values, values + count);
  const bool taken = row.take([&](int k, const std::string& typed) {
    next[std::size_t(k)] = typed_number(name_of(label), typed);
  });
  // All or none: a row is one statement.
  if (taken) std::copy(next.begin(), next.end(), values);
  ImGui::PopID();
  show_label(label);
  ImGui::EndGroup();
  return taken;
}

bool number_field(const PanelInput& input, const char* label, double& value, const char* format) {
  return number_fields(input, label, &value, 1, format);
}

bool optional_number_field(const PanelInput& input, const char* label, std::optional<double>& value,
                           const char* format, const char* hint) {
  return optional_field(input, label, value ? formatted(format, *value) : std::string(), hint,
                        [&](int, const std::string& typed) {
                          if (trimmed(typed).empty())
                            value.reset();
                          else
                            value = parse_number(name_of(label), typed);
                        });
}

bool optional_whole_number_field(const PanelInput& input, const char* label,
                                 std::optional<int>& value, const char* hint,
                                 const WholeRange& range) {
  return optional_field(input, label, value ? std::to_string(*value) : std::string(), hint,
                        [&](int, const std::string& typed) {
                          if (trimmed(typed).empty())
                            value.reset();
                          else
                            value = whole_number(name_of(label), typed, range);
                        });
}

bool whole_number_fields(const PanelInput& input, const char* label, int* values, int count,
                         const WholeRange& range) {
  ImGui::BeginGroup();
  ImGui::PushID(label);
  std::vector<int> next(values, values + count);
  const bool taken = whole_row(input, name_of(label), next.data(), count, range);
  if (taken) std::copy(next.begin(), next.end(), values);
  ImGui::PopID();
  show_label(label);
  ImGui::EndGroup();
  return taken;
}

bool whole_number_field(const PanelInput& input, const char* label, int& value,
                        const WholeRange& range) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button = ImGui::GetFrameHeight(), gap = style.ItemInnerSpacing.x;
  ImGui::BeginGroup();
  ImGui::PushID(label);
  ImGui::SetNextItemWidth(std::max(1.f, ImGui::CalcItemWidth() - 2 * (button + gap)));
  bool changed = whole_row(input, name_of(label), &value, 1, range);
  constexpr ImGuiButtonFlags kRepeats = ImGuiButtonFlags_Repeat | ImGuiButtonFlags_DontClosePopups;
  const int now = value;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(style.FramePadding.y, style.FramePadding.y));
  ImGui::SameLine(0, gap);
  if (ImGui::ButtonEx("-", ImVec2(button, button), kRepeats) && value > range.least) --value;
  ImGui::SameLine(0, gap);
  if (ImGui::ButtonEx("+", ImVec2(button, button), kRepeats) && value < range.most) ++value;
  ImGui::PopStyleVar();
  ImGui::PopID();
  show_label(label);
  ImGui::EndGroup();
  return changed || value != now;
}

}  // namespace haloscope::app::viewer
