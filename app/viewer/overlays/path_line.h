#pragma once

#include "app/viewer/overlays/overlays.h"

#include <cstddef>
#include <imgui.h>
#include <optional>
#include <vector>

// The camera path of a state, where its camera would be seen in the picture.
namespace haloscope::app::viewer {

// A key whose camera is seen, pixels of the window.
struct SeenKey {
  std::size_t number = 0;  // from 1, as commands count
  float x = 0, y = 0;
};

// Places of the camera along the path, evenly in time between its keys. Where a set is followed,
// its middle is taken to be the middle of the picture, as it is unless the user has moved on. Of
// keys that make no path, as some in perspective and some orthographic, the keys' own places. Known
// weakness: in a periodic box the path is drawn as a film flies it, and not at the copies of the
// particles that are nearest.
std::vector<Vec> path_places(const session::State& state, const session::Camera& camera);

std::vector<SeenKey> seen_keys(const PanelInput& input, const PictureArea& area);

// The number of the key under a point of the window; nothing: none, or the path is not drawn.
std::optional<std::size_t> path_key_under(const PanelInput& input, const PictureArea& area, float x,
                                          float y);

// A line through the places of the camera, with marks and numbers at the keys.
void draw_path(const PanelInput& input, const PictureArea& area, ImDrawList& list);

// While a path is previewed, what moment of it is seen, at the upper edge of the picture.
void draw_path_time(const PanelInput& input, const PictureArea& area);

}  // namespace haloscope::app::viewer
