#include "app/viewer/panels/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

using session::KeyState;

constexpr float kTimelineHeight = 26, kTimelineReach = 7;  // points
// Room behind the last key beside the path's length, and seconds where there is none yet.
constexpr double kRoom = 0.15, kShortest = 1;
// A press that moves less, points, is a click.
constexpr float kSteady = 3;

std::string carried(const KeyState& key, std::size_t k, bool series) {
  std::string words =
      fmt::format("key {} at {:g} s, {:+.2f} EV", k + 1, key.seconds, key.exposure_ev);
  if (key.limits)
    words += fmt::format(", limits {:.4g} to {:.4g}", (*key.limits)[0], (*key.limits)[1]);
  if (series) words += fmt::format(", snapshot {:g}", key.snapshot);
  return words + "\nclick: show it; drag: another time";
}

// The mouse on the line: what it has pressed is kept in the panels' memory.
void read_press(const PanelInput& input, const PlotLine& line) {
  const auto& path = input.state.path;
  PanelMemory& memory = input.memory;
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActivated()) {
    memory.dragged_key =
        key_under(line, path, io.MouseClickedPos[0].x, kTimelineReach * input.scale);
    if (memory.dragged_key) return;
  }
  if (memory.dragged_key && *memory.dragged_key >= path.size()) memory.dragged_key.reset();
  const bool moved = std::abs(io.MousePos.x - io.MouseClickedPos[0].x) > kSteady * input.scale;
  if (ImGui::IsItemDeactivated() && memory.dragged_key) {
    const std::size_t key = *memory.dragged_key + 1;
    memory.dragged_key.reset();
    if (moved) return input.emit(fmt::format("move_key {} {}", key, time_at(line, io.MousePos.x)));
    return input.emit(fmt::format("go_to_key {}", key));
  }
  if (!ImGui::IsItemActive() || memory.dragged_key) return;
  const std::string time = time_at(line, io.MousePos.x);
  const double seconds = std::clamp(std::stod(time), path.front().seconds, path.back().seconds);
  if (memory.play_head == seconds) return;
  memory.play_head = seconds;
  input.emit(fmt::format("go_to_time {}", seconds));
}

void draw_head(ImDrawList& list, float x, float top, float bottom, float scale) {
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  list.AddLine(ImVec2(x, top), ImVec2(x, bottom), ink, std::max(1.f, 1.5f * scale));
  list.AddTriangleFilled(ImVec2(x - 5 * scale, top), ImVec2(x + 5 * scale, top),
                         ImVec2(x, top + 7 * scale), ink);
}

}  // namespace

PlotLine line_of(const std::vector<KeyState>& path, float left, float width) {
  const double begin = path.front().seconds, length = path.back().seconds - begin;
  return {begin, begin + (1 + kRoom) * std::max(length, kShortest), left, width};
}

std::optional<std::size_t> key_under(const PlotLine& line, const std::vector<KeyState>& path,
                                     float x, float reach) {
  std::optional<std::size_t> nearest;
  for (std::size_t k = 0; k < path.size(); ++k)
    if (const float distance = std::abs(line.x_of(path[k].seconds) - x); distance <= reach) {
      nearest = k;
      reach = distance;
    }
  return nearest;
}

std::string time_at(const PlotLine& line, float x) {
  const double pixel = (line.high - line.low) / double(line.width);
  return fmt::format("{:.{}f}", line.value_at(x),
                     std::clamp(-int(std::floor(std::log10(pixel))), 0, 9));
}

void show_timeline(const PanelInput& input) {
  const auto& path = input.state.path;
  const float scale = input.scale, edge = 8 * scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(4 * edge, ImGui::GetContentRegionAvail().x);
  const float height = kTimelineHeight * scale;
  const PlotLine line = line_of(path, at.x + edge, width - 2 * edge);
  ImGui::InvisibleButton("timeline", ImVec2(width, height));
  read_press(input, line);
  const float mouse = ImGui::GetIO().MousePos.x;
  const std::size_t none = path.size(), dragged = input.memory.dragged_key.value_or(none);
  std::size_t hot = dragged;
  if (ImGui::IsItemHovered() && dragged == none)
    hot = key_under(line, path, mouse, kTimelineReach * scale).value_or(none);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = at.y + height / 2;
  list.AddRectFilled(at, ImVec2(at.x + width, at.y + height), ImGui::GetColorU32(ImGuiCol_FrameBg),
                     ImGui::GetStyle().FrameRounding);
  list.AddLine(ImVec2(line.x_of(path.front().seconds), middle),
               ImVec2(line.x_of(path.back().seconds), middle),
               ImGui::GetColorU32(ImGuiCol_TextDisabled), 2 * scale);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const float x = dragged == k ? line.x_of(line.value_at(mouse)) : line.x_of(path[k].seconds);
    list.AddCircleFilled(
        ImVec2(x, middle), (hot == k ? 6.5f : 5) * scale,
        ImGui::GetColorU32(hot == k ? ImGuiCol_ButtonActive : ImGuiCol_SliderGrab));
  }
  if (input.memory.play_head)
    draw_head(list, line.x_of(*input.memory.play_head), at.y, at.y + height, scale);
  if (dragged != none)
    ImGui::SetTooltip("key %zu to %s s", dragged + 1, time_at(line, mouse).c_str());
  else if (hot != none)
    ImGui::SetTooltip("%s", carried(path[hot], hot, input.state.snapshots.size() > 1).c_str());
  else if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s s: drag to see the path there", time_at(line, mouse).c_str());
}

}  // namespace haloscope::app::viewer
