#include "app/viewer/overlays/color_strip.h"

#include "core/error.h"
#include "render/colors/palette.h"

#include <imgui.h>
#include <map>

namespace haloscope::app::viewer {

namespace {

ImU32 packed(const std::array<float, 3>& color) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1));
}

}  // namespace

void draw_color_strip(ImDrawList& list, const ImVec2& low, const ImVec2& high,
                      const std::vector<std::array<float, 3>>& colors, int steps) {
  const render::Palette palette{"", colors};
  for (int k = 0; k < steps; ++k) {
    const float begin = float(k) / float(steps), end = float(k + 1) / float(steps);
    const ImU32 left = packed(render::sample(palette, begin));
    const ImU32 right = packed(render::sample(palette, end));
    list.AddRectFilledMultiColor(ImVec2(low.x + begin * (high.x - low.x), low.y),
                                 ImVec2(low.x + end * (high.x - low.x), high.y), left, right, right,
                                 left);
  }
}

const std::vector<std::array<float, 3>>& display_colors(const std::string& name) {
  static std::map<std::string, std::vector<std::array<float, 3>>> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  auto& colors = known[name];
  try {
    colors = render::find_palette(name).colors;
  } catch (const Error&) {
    colors = {{0, 0, 0}, {1, 1, 1}};
  }
  return colors;
}

}  // namespace haloscope::app::viewer
