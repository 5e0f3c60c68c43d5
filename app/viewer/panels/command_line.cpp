#include "app/session/completion.h"
#include "app/viewer/panels/folder_panel.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/pressed_keys.h"
#include "app/viewer/panels/short_text.h"

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

using session::Completion;

constexpr std::size_t kMostCompletions = 10;
// Of lines that were entered: fewer while others are offered, and of each the last sentences.
constexpr std::size_t kMostEntered = 6, kFewEntered = 2, kMostTold = 6;
constexpr float kWidth = 760, kWords = 240;  // points

const ImVec4 kRefused(1, 0.75f, 0.35f, 1), kDone(0.55f, 0.85f, 0.6f, 1);

// What the keys of the field need to know.
struct Typing {
  const PanelInput& input;
  const session::SceneFacts& facts;
  CommandDraft& draft;

  std::vector<Completion> possible(const std::string& typed) const {
    std::vector<std::string> files;
    if (const auto path = session::path_in(typed); path && input.line.folder)
      files = paths_with(*path, *input.line.folder);
    return session::complete(typed, facts, input.state, files);
  }
};

int answer_key(ImGuiInputTextCallbackData* data) {
  const Typing& typing = *static_cast<Typing*>(data->UserData);
  CommandDraft& draft = typing.draft;
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    // A field that is given the keys selects all that it holds, which the next letter would
    // replace.
    if (draft.to_end) {
      data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
      draft.to_end = false;
    }
    return 0;
  }
  const std::string typed(data->Buf, std::size_t(data->BufTextLen));
  std::string line;
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion)
    line = draft.tab(typed, typing.possible(typed), ImGui::GetIO().KeyShift);
  else if (data->EventKey == ImGuiKey_UpArrow)
    line = draft.older(typed, typing.input.line.history);
  else
    line = draft.newer(typed, typing.input.line.history);
  if (line == typed || line.size() >= draft.typed.size()) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, line.c_str());
  return 0;
}

void show_field(const PanelInput& input, Typing& typing) {
  CommandDraft& draft = typing.draft;
  if (ImGui::IsWindowAppearing() || draft.wants_keys) {
    ImGui::SetKeyboardFocusHere();
    draft.wants_keys = false;
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint(
      "##command", "a command; Tab completes it, Up brings back the last one, Escape closes",
      draft.typed.data(), draft.typed.size(),
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
          ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackAlways,
      answer_key, &typing);
  if (!entered) return;
  const std::string line = draft.text();
  draft.clear();
  if (line.find_first_not_of(" \t") != std::string::npos && input.line.enter)
    input.line.enter(line);
}

void show_possible(const Typing& typing, const std::vector<Completion>& possible) {
  const float words = kWords * typing.input.scale;
  for (std::size_t k = 0; k < std::min(possible.size(), kMostCompletions); ++k) {
    const Completion& one = possible[k];
    ImGui::PushID(int(k));
    const float width = one.help.empty() ? ImGui::GetContentRegionAvail().x : words;
    if (ImGui::Selectable(shortened(one.word, width).c_str())) {
      typing.draft.set(one.text + (one.more ? " " : ""));
      typing.draft.wants_keys = typing.draft.to_end = true;
    }
    ImGui::PopID();
    if (one.help.empty()) continue;
    ImGui::SameLine(words + ImGui::GetStyle().ItemSpacing.x);
    ImGui::TextDisabled("%s", shortened(one.help, ImGui::GetContentRegionAvail().x).c_str());
  }
  if (possible.size() > kMostCompletions)
    ImGui::TextDisabled("and %zu more", possible.size() - kMostCompletions);
}

void show_told(const EnteredLine& entered) {
  const std::size_t count = entered.told.size();
  const std::size_t first = count > kMostTold ? count - kMostTold : 0;
  if (first > 0) ImGui::TextDisabled("%zu sentences before: see the Log", first);
  for (std::size_t k = first; k < count; ++k) {
    const LogLine& line = entered.told[k];
    ImGui::PushStyleColor(ImGuiCol_Text, line.warning ? kRefused : kDone);
    ImGui::TextWrapped("%s", line.text.c_str());
    ImGui::PopStyleColor();
  }
  if (entered.runs)
    ImGui::TextDisabled("under way \u2026");
  else if (count == 0)
    ImGui::TextColored(kDone, "done");
}

// The last one first: it stands beside the field.
void show_entered(const std::vector<EnteredLine>& lines, std::size_t most) {
  for (std::size_t k = 0; k < std::min(lines.size(), most); ++k) {
    const EnteredLine& entered = lines[lines.size() - 1 - k];
    ImGui::Separator();
    ImGui::TextWrapped("%s", entered.line.c_str());
    ImGui::Indent();
    show_told(entered);
    ImGui::Unindent();
  }
}

}  // namespace

void show_command_line(const PanelInput& input, const session::SceneFacts& facts, float width,
                       float height) {
  bool& open = input.memory.open["commands"];
  CommandDraft& draft = input.memory.command;
  draft.has_path = false;
  if (!open) return;
  const float free = free_width(input, width, height);
  ImGui::SetNextWindowPos(ImVec2(free / 2, 0.12f * height), ImGuiCond_Always, ImVec2(0.5f, 0));
  const float wide = std::min(kWidth * input.scale, free);
  ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, 0.8f * height));
  ImGui::SetNextWindowSize(ImVec2(wide, 0));
  bool stays = true;
  if (ImGui::Begin("Command", &stays,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings)) {
    Typing typing{input, facts, draft};
    show_field(input, typing);
    // Where another window has the focus, Escape is no business of the field.
    if (key_pressed(ImGuiKey_Escape)) stays = false;
    const std::string typed = draft.text();
    if (const auto path = session::path_in(typed)) {
      draft.path = *path;
      draft.has_path = true;
    }
    if (const std::string usage = session::usage_in(typed); !usage.empty())
      ImGui::TextWrapped("%s", usage.c_str());
    const bool offers = typed.find_first_not_of(' ') != std::string::npos;
    if (offers) show_possible(typing, typing.possible(typed));
    if (input.line.entered) show_entered(*input.line.entered, offers ? kFewEntered : kMostEntered);
  }
  ImGui::End();
  if (stays) return;
  draft.clear();
  input.emit("panel commands");
}

}  // namespace haloscope::app::viewer
