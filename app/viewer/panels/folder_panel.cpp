#include "app/viewer/panels/folder_panel.h"

#include "app/session/toml_writer.h"
#include "app/viewer/panels/pressed_keys.h"
#include "app/viewer/panels/short_text.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <utility>

namespace haloscope::app::viewer {

namespace {

constexpr int kRows = 10;                                              // that are seen at once
constexpr float kKindWidth = 172, kSizeWidth = 62, kMomentWidth = 66;  // points

void open(const PanelInput& input, const std::string& path) {
  input.memory.asked_to_open = ImGui::GetFrameCount();
  input.emit("open " + session::quoted(path));
}

void open_all(const PanelInput& input, const FolderRow& row) {
  std::string line = "open";
  for (const std::string& name : row.members)
    line += " " + session::quoted(input.memory.path.folder() + name);
  input.memory.asked_to_open = ImGui::GetFrameCount();
  input.emit(line);
}

void open_row(const PanelInput& input, const FolderRow& row) {
  if (row.series)
    open_all(input, row);
  else
    open(input, input.memory.path.folder() + row.first());
}

struct Known {
  const FolderModel& model;
  PathDraft& path;
  bool& goes_on;
};

// A whole path that is typed or pasted behind another one takes its place.
std::string without_former(const std::string& text) {
  for (const char* const whole : {"//", "/~/"})
    if (const auto at = text.find(whole); at != std::string::npos) {
      PathDraft path;
      path.set(text.substr(at + 1));
      return path.text();
    }
  return text;
}

void replace_text(ImGuiInputTextCallbackData* data, const std::string& text) {
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, text.c_str());
}

// Tab; `UserData`: what is known of the folder.
int edit_path(ImGuiInputTextCallbackData* data) {
  const Known& known = *static_cast<const Known*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    if (std::exchange(known.path.was_set, false)) replace_text(data, known.path.text());
    // A field that takes the keys by itself has all of its text selected, which would be replaced.
    if (std::exchange(known.goes_on, false)) {
      data->ClearSelection();
      data->CursorPos = data->BufTextLen;
    }
    const std::string text(data->Buf, std::size_t(data->BufTextLen));
    if (const std::string path = without_former(text); path != text) replace_text(data, path);
    return 0;
  }
  const FolderModel& model = known.model;
  const std::string typed(data->Buf, std::size_t(data->BufTextLen));
  const std::string whole = completed(typed, model);
  if (whole == typed) return 0;
  replace_text(data, whole);
  return 0;
}

bool is_folder(const FolderModel& model, const std::string& name) {
  return std::any_of(model.rows.begin(), model.rows.end(),
                     [&](const FolderRow& row) { return row.folder && row.name == name; });
}

void go_up(PathDraft& path) {
  std::error_code gone;
  const auto folder = std::filesystem::absolute(path.folder(), gone).lexically_normal();
  if (gone) return;
  // "/a/b/" is "/a/b" and no name.
  const std::string above = folder.parent_path().parent_path().string();
  path.set(above.ends_with('/') ? above : above + "/");
}

// What is said of a row, and what a click on it does.
struct RowWords {
  std::string kind, moment;
  FileKind::What what = FileKind::What::Snapshot;
};

RowWords words_of(const FolderRow& row, const FolderModel& model) {
  if (row.folder) return {"folder", {}};
  const auto known = model.kinds.find(row.first());
  if (known == model.kinds.end()) return {"\u2026", {}};
  const FileKind& kind = known->second;
  RowWords words{kind.words, kind.moment, kind.what};
  if (row.series) words = {fmt::format("series of {}", row.members.size()), {}};
  if (!row.series && !row.members.empty())
    words.kind += fmt::format(", {} files", row.members.size());
  return words;
}

void dim_cell(const std::string& text) {
  ImGui::TableNextColumn();
  show_short_text(text);
}

// A catalog has no particles to be drawn.
void explain_catalog(const PanelInput& input, const std::string& path, const std::string& kind) {
  const Error sentence("there are no particles to show in this " + kind, path,
                       "in a terminal 'haloscope catalog FILE' lists its halos, and with --compare "
                       "compares them with another catalog's");
  input.complain(sentence.what());
}

void follow_click(const PanelInput& input, const FolderRow& row, const RowWords& words) {
  PathDraft& path = input.memory.path;
  if (row.folder)
    path.set(path.folder() + row.name + "/");
  else if (words.what == FileKind::What::Catalog)
    explain_catalog(input, path.folder() + row.first(), words.kind);
  else
    open_row(input, row);
}

// The line of the list for several files whose name was typed as it is written there.
const FolderRow* row_called(const FolderModel& model, const PathDraft& path) {
  if (!model.listed || model.folder != path.folder()) return nullptr;
  for (const FolderRow& row : model.rows)
    if (!row.members.empty() && row.name == path.leaf()) return &row;
  return nullptr;
}

void show_field(const PanelInput& input, const FolderModel& model) {
  PathDraft& path = input.memory.path;
  Known known{model, path, input.memory.path_goes_on};
  // Whoever opens the panel may type at once: letters would else be taken for keys.
  const auto take_keys = [&](int field) {
    ImGui::SetKeyboardFocusHere(field);
    input.memory.path_goes_on = true;
  };
  if (ImGui::IsWindowAppearing()) take_keys(0);
  const float button = ImGui::CalcTextSize("Open").x + 2 * ImGui::GetStyle().FramePadding.x +
                       ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(-button);
  const bool entered = ImGui::InputTextWithHint(
      "##path", "path, Tab completes", path.typed.data(), path.typed.size(),
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
          ImGuiInputTextFlags_CallbackAlways,
      edit_path, &known);
  // The panel opens with its field ready for letters, and is left by one press.
  if (ImGui::IsItemDeactivated() && key_pressed(ImGuiKey_Escape)) input.emit("panel file");
  // So where the path was wrong.
  if (entered) take_keys(-1);
  ImGui::SameLine();
  const bool pressed = ImGui::Button("Open");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Also a folder that holds one snapshot");
  const FolderRow* const typed_row = row_called(model, path);
  if ((entered || pressed) && typed_row)
    follow_click(input, *typed_row, words_of(*typed_row, model));
  else if (entered && is_folder(model, path.leaf()))
    path.set(path.text() + "/");
  else if ((entered && !path.leaf().empty()) || (pressed && !path.text().empty()))
    open(input, path.path());
}

void show_row(const PanelInput& input, const FolderModel& model, const FolderRow& row) {
  const RowWords words = words_of(row, model);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string name = row.folder ? row.name + "/" : row.name;
  const std::string label = shortened(name, ImGui::GetContentRegionAvail().x) + "##" + row.name;
  // What is no snapshot, or a damaged one, can be pressed too: then a sentence says what it is.
  const bool dim = words.what == FileKind::What::Other;
  if (dim) ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  if (ImGui::Selectable(label.c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
    follow_click(input, row, words);
  if (dim) ImGui::PopStyleColor();
  const bool pointed = ImGui::IsItemHovered();
  if (pointed && !row.members.empty())
    ImGui::SetTooltip("%s \u2026 %s", row.members.front().c_str(), row.members.back().c_str());
  else if (pointed)
    ImGui::SetTooltip("%s", row.name.c_str());
  dim_cell(words.kind);
  dim_cell(row.folder ? std::string() : bytes_in_words(row.bytes));
  dim_cell(words.moment);
}

// The rows whose names begin with what is typed.
std::vector<const FolderRow*> fitting(const FolderModel& model, const std::string& leaf) {
  std::vector<const FolderRow*> rows;
  for (const FolderRow& row : model.rows)
    if (row.name.starts_with(leaf)) rows.push_back(&row);
  return rows;
}

void show_rows(const PanelInput& input, const FolderModel& model) {
  const auto rows = fitting(model, input.memory.path.leaf());
  input.memory.seen_files.clear();
  ImGuiListClipper clipper;
  clipper.Begin(int(rows.size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
      const FolderRow& row = *rows[std::size_t(k)];
      if (!row.folder) input.memory.seen_files.push_back(row.first());
      show_row(input, model, row);
    }
}

// Names of the folder that begin with the leaf of a path; empty where the folder is another one.
std::vector<std::string> names_with(const std::string& text, const FolderModel& model) {
  const std::string leaf = PathDraft::leaf_of(text);
  std::vector<std::string> names;
  if (!model.listed || model.folder != PathDraft::folder_of(text)) return names;
  for (const FolderRow& row : model.rows) {
    const std::string name = row.folder ? row.name + "/" : row.name;
    // A series has a line beside those of its files, a set has one line in place of them.
    if (row.members.empty() && name.starts_with(leaf)) names.push_back(name);
    for (const std::string& member : row.members)
      if (!row.series && member.starts_with(leaf)) names.push_back(member);
  }
  return names;
}

}  // namespace

std::vector<std::string> paths_with(const std::string& text, const FolderModel& model) {
  const std::string folder =
      text.find('/') == std::string::npos ? std::string() : PathDraft::folder_of(text);
  std::vector<std::string> paths = names_with(text, model);
  for (std::string& path : paths) path = folder + path;
  return paths;
}

std::string completed(const std::string& text, const FolderModel& model) {
  const std::string leaf = PathDraft::leaf_of(text);
  const std::vector<std::string> names = names_with(text, model);
  if (names.empty()) return text;
  std::string common = names.front();
  for (const std::string& name : names)
    common.erase(std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first,
                 common.end());
  return text.substr(0, text.size() - leaf.size()) + common;
}

void show_folder(const PanelInput& input) {
  if (!input.folder) return;
  const FolderModel& model = *input.folder;
  show_field(input, model);
  const float scale = input.scale;
  const ImVec2 size(0, float(kRows) * ImGui::GetTextLineHeightWithSpacing());
  if (!ImGui::BeginTable("folder", 4, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg, size))
    return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed, kKindWidth * scale);
  ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, kSizeWidth * scale);
  ImGui::TableSetupColumn("moment", ImGuiTableColumnFlags_WidthFixed, kMomentWidth * scale);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("../", false, ImGuiSelectableFlags_SpanAllColumns))
    go_up(input.memory.path);
  if (!model.fault.empty())
    ImGui::TextWrapped("%s", model.fault.c_str());
  else if (!model.listed)
    ImGui::TextDisabled("reading \u2026");
  show_rows(input, model);
  ImGui::EndTable();
}

}  // namespace haloscope::app::viewer
