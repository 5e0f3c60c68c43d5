#pragma once

#include <array>
#include <string>
#include <vector>

struct ImDrawList;
struct ImVec2;

namespace haloscope::app::viewer {

// A horizontal strip with the colors of a map, as display values, in so many steps, within which
// they go over into one another. 64 are more than the eye tells apart in a strip of a few hundred
// pixels.
void draw_color_strip(ImDrawList& list, const ImVec2& low, const ImVec2& high,
                      const std::vector<std::array<float, 3>>& colors, int steps = 64);

// Colors of a map by name; of an unknown one, gray. Read once per name. User interface's thread.
const std::vector<std::array<float, 3>>& display_colors(const std::string& name);

}  // namespace haloscope::app::viewer
