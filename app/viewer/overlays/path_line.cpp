#include "app/viewer/overlays/path_line.h"

#include "app/session/path_moments.h"
#include "app/viewer/overlays/overlay_pen.h"
#include "app/viewer/overlays/picture_places.h"
#include "core/error.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

namespace {

constexpr ImU32 kPathOnDark = IM_COL32(255, 130, 190, 255);
constexpr ImU32 kPathOnWhite = IM_COL32(175, 15, 105, 255);
// Between two keys; of all together at most so many, for a Splotch scene has thousands of keys.
constexpr std::size_t kSteps = 48, kMostPlaces = 4000;
constexpr float kKeyMark = 5, kKeyReach = 8;  // points

Vec place_of_camera(session::Camera camera, const session::State& state,
                    const session::Camera& shown) {
  if (!state.follow.empty()) camera.center = shown.center;
  return session::eye_of(camera);
}

}  // namespace

std::vector<Vec> path_places(const session::State& state, const session::Camera& camera) {
  const auto& keys = state.path;
  std::vector<Vec> places;
  std::optional<session::PathMoments> path;
  try {
    if (keys.size() > 1) path.emplace(state, session::SceneFacts{});
  } catch (const Error&) {
  }
  const std::size_t between = keys.size() > 1 ? keys.size() - 1 : 1;
  const std::size_t steps = path ? std::clamp<std::size_t>(kMostPlaces / between, 1, kSteps) : 1;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    places.push_back(place_of_camera(keys[k].camera, state, camera));
    if (k + 1 == keys.size()) break;
    const double begin = keys[k].seconds, end = keys[k + 1].seconds;
    for (std::size_t step = 1; step < steps; ++step) {
      const double seconds = begin + (end - begin) * double(step) / double(steps);
      places.push_back(place_of_camera(path->at(seconds).camera, state, camera));
    }
  }
  return places;
}

std::vector<SeenKey> seen_keys(const PanelInput& input, const PictureArea& area) {
  std::vector<SeenKey> keys;
  if (!input.picture || !input.state.overlays.path) return keys;
  const session::Camera& camera = input.picture->camera;
  const auto& path = input.state.path;
  for (std::size_t k = 0; k < path.size(); ++k)
    if (const auto at =
            place_in(area, camera, place_of_camera(path[k].camera, input.state, camera)))
      keys.push_back({k + 1, at->x, at->y});
  return keys;
}

std::optional<std::size_t> path_key_under(const PanelInput& input, const PictureArea& area, float x,
                                          float y) {
  std::optional<std::size_t> nearest;
  float reach = kKeyReach * input.scale;
  for (const SeenKey& key : seen_keys(input, area))
    if (const float away = std::hypot(key.x - x, key.y - y); away <= reach) {
      nearest = key.number;
      reach = away;
    }
  return nearest;
}

void draw_path(const PanelInput& input, const PictureArea& area, ImDrawList& list) {
  const session::Camera& camera = input.picture->camera;
  const bool on_white = input.state.tone.white_ground;
  const OverlayInk& ink = overlay_ink(on_white);
  const ImU32 color_of_path = on_white ? kPathOnWhite : kPathOnDark;
  std::vector<std::optional<ImVec2>> seen;
  for (const Vec& place : path_places(input.state, camera))
    seen.push_back(place_in(area, camera, place));
  for (const auto& [color, width] : {std::pair{ink.shade, 4.f}, std::pair{color_of_path, 2.f}})
    for (std::size_t k = 1; k < seen.size(); ++k)
      if (seen[k - 1] && seen[k]) list.AddLine(*seen[k - 1], *seen[k], color, width * input.scale);
  const float mark = kKeyMark * input.scale;
  ImFont* const font = ImGui::GetFont();
  const float letters = ImGui::GetFontSize() * float(input.state.overlays.letters);
  for (const SeenKey& key : seen_keys(input, area)) {
    const ImVec2 at(key.x, key.y);
    list.AddCircleFilled(at, mark + 1.5f * input.scale, ink.shade);
    list.AddCircleFilled(at, mark, color_of_path);
    const std::string number = std::to_string(key.number);
    const ImVec2 size = font->CalcTextSizeA(letters, FLT_MAX, 0, number.c_str());
    const ImVec2 words(at.x + 2 * mark, at.y - size.y / 2), edge(3 * input.scale, 0);
    list.AddRectFilled(ImVec2(words.x - edge.x, words.y),
                       ImVec2(words.x + size.x + edge.x, words.y + size.y), ink.ground,
                       3 * input.scale);
    list.AddText(font, letters, words, color_of_path, number.c_str());
  }
}

void draw_path_time(const PanelInput& input, const PictureArea& area) {
  if (input.path_time.empty()) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.width, area.y + area.height));
  const ImVec2 size = ImGui::CalcTextSize(input.path_time.c_str());
  const float edge = 5 * input.scale;
  // In the middle: the color bars stand at the left, the redshift of the snapshot at the right.
  const float x = std::max(area.x + edge, area.x + (area.width - size.x) / 2);
  const float y = area.y + 14 * input.scale;
  const OverlayInk& ink = overlay_ink(input.state.tone.white_ground);
  list.AddRectFilled(ImVec2(x - edge, y - edge), ImVec2(x + size.x + edge, y + size.y + edge),
                     ink.ground, 3 * input.scale);
  list.AddText(ImVec2(x, y), ink.letters, input.path_time.c_str());
  list.PopClipRect();
}

}  // namespace haloscope::app::viewer
