#include "app/viewer/frame/series_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr float kHandle = 5, kMark = 4;  // points: a radius, and half of a mark's height
constexpr float kClosest = 3;            // points between marks; of closer ones the first is drawn

double way(const std::vector<std::optional<SeriesMoment>>& moments, std::size_t k) {
  return moments[k]->place - moments[0]->place;
}

std::string words_of(const PanelInput& input, std::size_t k) {
  const std::string name = std::filesystem::path(input.state.snapshots[k]).filename().string();
  std::string words = fmt::format("{}, {} of {}", name, k + 1, input.state.snapshots.size());
  if (input.moments && k < input.moments->size() && (*input.moments)[k])
    words += ", " + (*input.moments)[k]->words;
  return words;
}

void draw_bar(const std::vector<double>& places, std::size_t current, ImVec2 low, ImVec2 high,
              float scale) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float middle = std::round((low.y + high.y) / 2), width = high.x - low.x;
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  list->AddLine(ImVec2(low.x, middle), ImVec2(high.x, middle), color, scale);
  float last = -width;
  for (const double place : places) {
    const float x = std::round(low.x + float(place) * width);
    if (std::abs(x - last) < kClosest * scale) continue;
    last = x;
    list->AddLine(ImVec2(x, middle - kMark * scale), ImVec2(x, middle + kMark * scale), color,
                  scale);
  }
  list->AddCircleFilled(ImVec2(low.x + float(places[current]) * width, middle), kHandle * scale,
                        ImGui::GetColorU32(ImGuiCol_CheckMark));
}

// A notch away from the user goes on to the next one.
void read_wheel(const PanelInput& input) {
  float& turned = input.memory.series_wheel;
  turned += ImGui::GetIO().MouseWheel;
  const auto notches = long(std::trunc(turned));
  if (notches == 0) return;
  turned -= float(notches);
  const long last = long(input.state.snapshots.size()) - 1;
  const long asked = std::clamp(long(input.state.current) + notches, 0L, last);
  if (asked != long(input.state.current)) input.emit(fmt::format("show_snapshot {}", asked));
}

}  // namespace

std::vector<double> series_places(std::size_t count, const SeriesMoments* moments) {
  std::vector<double> places;
  bool known = moments && moments->size() == count && count > 1 &&
               std::all_of(moments->begin(), moments->end(), [](const auto& m) { return !!m; });
  const double all = known ? way(*moments, count - 1) : 0;
  for (std::size_t k = 0; known && k < count; ++k) {
    places.push_back(way(*moments, k) / all);
    known = std::isfinite(places[k]) && (k == 0 || places[k] > places[k - 1]);
  }
  if (known) return places;
  places.clear();
  for (std::size_t k = 0; k < count; ++k)
    places.push_back(count > 1 ? double(k) / double(count - 1) : 0);
  return places;
}

std::size_t nearest_snapshot(const std::vector<double>& places, double place) {
  const auto nearest = std::min_element(places.begin(), places.end(), [&](double a, double b) {
    return std::abs(a - place) < std::abs(b - place);
  });
  return std::size_t(nearest - places.begin());
}

void show_series_bar(const PanelInput& input, float width) {
  const std::size_t count = input.state.snapshots.size(), current = input.state.current;
  if (count < 2 || current >= count) return;
  const auto places = series_places(count, input.moments);
  ImGui::InvisibleButton("series", ImVec2(width, ImGui::GetFrameHeight()));
  ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  low.x += kHandle * input.scale;
  high.x -= kHandle * input.scale;
  draw_bar(places, current, low, high, input.scale);
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  if (hovered) read_wheel(input);
  if (!hovered && !held) return;
  const float at = (ImGui::GetIO().MousePos.x - low.x) / std::max(1.f, high.x - low.x);
  const std::size_t pointed = nearest_snapshot(places, double(at));
  ImGui::SetTooltip("%s", words_of(input, pointed).c_str());
  // The last step of a drag may come with the release.
  if ((held || ImGui::IsItemDeactivated()) && pointed != current)
    input.emit(fmt::format("show_snapshot {}", pointed));
}

}  // namespace haloscope::app::viewer
