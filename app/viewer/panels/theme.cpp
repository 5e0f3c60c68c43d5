#include "app/viewer/panels/theme.h"

#include "core/log.h"

#include <array>
#include <filesystem>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr float kLetterHeight = 14;
// How far a circle may be from round, pixels: a polygon is seen from a quarter on.
constexpr float kRound = 0.05f;

// Latin, Greek, the signs of units, and arrows.
constexpr std::array<ImWchar, 13> kLetters{0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x206F, 0x2070,
                                           0x209F, 0x2190, 0x22FF, 0x2600, 0x26FF, 0};

// Where Debian and Fedora have DejaVu Sans; without it the letters are Dear ImGui's own, enlarged.
constexpr std::array kFonts{"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                            "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"};

void load_font(float scale) {
  ImGuiIO& io = ImGui::GetIO();
  for (const char* font : kFonts) {
    std::error_code ignored;
    if (!std::filesystem::exists(font, ignored)) continue;
    if (io.Fonts->AddFontFromFileTTF(font, kLetterHeight * scale, nullptr, kLetters.data())) return;
  }
  log::warn("the letters are coarse: DejaVu Sans is not installed (Debian: fonts-dejavu-core)");
  ImFontConfig coarse;
  coarse.SizePixels = 13 * scale;
  io.Fonts->AddFontDefault(&coarse);
}

void color_style(ImGuiStyle& style) {
  const ImVec4 ground(0.085f, 0.09f, 0.105f, 1), raised(0.16f, 0.17f, 0.20f, 1);
  const ImVec4 accent(0.26f, 0.47f, 0.72f, 1), bright(0.33f, 0.57f, 0.85f, 1);
  auto& colors = style.Colors;
  colors[ImGuiCol_Text] = ImVec4(0.88f, 0.89f, 0.91f, 1);
  colors[ImGuiCol_TextDisabled] = ImVec4(0.55f, 0.57f, 0.61f, 1);
  colors[ImGuiCol_WindowBg] = ground;
  colors[ImGuiCol_PopupBg] = ground;
  colors[ImGuiCol_Border] = raised;
  colors[ImGuiCol_FrameBg] = raised;
  colors[ImGuiCol_FrameBgHovered] = ImVec4(0.22f, 0.24f, 0.28f, 1);
  colors[ImGuiCol_FrameBgActive] = accent;
  colors[ImGuiCol_Button] = ImVec4(0.20f, 0.23f, 0.29f, 1);
  colors[ImGuiCol_ButtonHovered] = accent;
  colors[ImGuiCol_ButtonActive] = bright;
  colors[ImGuiCol_Header] = ImVec4(0.15f, 0.20f, 0.28f, 1);
  colors[ImGuiCol_HeaderHovered] = ImVec4(0.20f, 0.26f, 0.34f, 1);
  colors[ImGuiCol_HeaderActive] = accent;
  colors[ImGuiCol_CheckMark] = bright;
  colors[ImGuiCol_SliderGrab] = accent;
  colors[ImGuiCol_SliderGrabActive] = bright;
  colors[ImGuiCol_PlotHistogram] = bright;
  colors[ImGuiCol_TableHeaderBg] = raised;
}

}  // namespace

void apply_theme(float scale) {
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
  color_style(style);
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.WindowBorderSize = 0;
  style.FramePadding = ImVec2(6, 3);
  style.ItemSpacing = ImVec2(7, 5);
  style.ScrollbarSize = 12;
  style.CircleTessellationMaxError = kRound;
  style.ScaleAllSizes(scale);
  load_font(scale);
}

}  // namespace haloscope::app::viewer
