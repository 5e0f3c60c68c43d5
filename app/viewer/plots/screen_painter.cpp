#include "app/viewer/plots/screen_painter.h"

#include "render/plots/rich_text.h"

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <imgui_internal.h>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using render::PlotPlace;

ImVec2 at(const PlotPlace& place) {
  return ImVec2(float(place.x), float(place.y));
}

ImU32 packed(render::PlotInk ink) {
  return IM_COL32(ink.red, ink.green, ink.blue, ink.alpha);
}

// Upright and level lines fill whole pixels; others go where they go.
std::vector<ImVec2> sharp(std::span<const PlotPlace> places, float width) {
  bool straight = true;
  for (std::size_t k = 1; k < places.size(); ++k)
    straight &= places[k].x == places[k - 1].x || places[k].y == places[k - 1].y;
  const float middle = std::lround(width) % 2 == 1 ? 0.5f : 0.f;
  std::vector<ImVec2> points;
  points.reserve(places.size());
  for (const PlotPlace& place : places) {
    const ImVec2 point = at(place);
    points.push_back(straight ? ImVec2(std::floor(point.x) + middle, std::floor(point.y) + middle)
                              : point);
  }
  return points;
}

// Letters that Dear ImGui's own set lacks.
const char* in_place_of(unsigned letter) {
  return letter == 0x2212 ? "-" : letter == 0x2609 ? "sun" : "?";
}

struct Glyph {
  const ImFontGlyph* glyph;
  float size;  // height of its line
  float down;  // from the upper edge of the line of usual letters
};

// Letters and their sizes, raised and lowered ones among them.
std::vector<Glyph> glyphs_of(const std::string& words, float size) {
  const ImFont& font = *ImGui::GetFont();
  std::vector<Glyph> glyphs;
  for (const render::TextRun& run : render::text_runs(words)) {
    const float part = run.level ? float(render::kScriptSize) : 1.f;
    // Base lines meet; raised and lowered ones are moved from there.
    const float ascent = font.Ascent / font.FontSize;
    const float moved = run.level > 0   ? -float(render::kRaised)
                        : run.level < 0 ? float(render::kLowered)
                                        : 0.f;
    const float down = size * (ascent * (1 - part) + moved);
    const char* text = run.words.c_str();
    const char* const end = text + run.words.size();
    while (text < end) {
      unsigned letter = 0;
      text += ImTextCharFromUtf8(&letter, text, end);
      if (const ImFontGlyph* known = font.FindGlyphNoFallback(ImWchar(letter))) {
        glyphs.push_back({known, part * size, down});
        continue;
      }
      for (const char* other = in_place_of(letter); *other; ++other)
        glyphs.push_back({font.FindGlyph(ImWchar(*other)), part * size, down});
    }
  }
  return glyphs;
}

float width_of(const std::vector<Glyph>& glyphs) {
  const float height = ImGui::GetFont()->FontSize;
  float width = 0;
  for (const Glyph& glyph : glyphs) width += glyph.glyph->AdvanceX * glyph.size / height;
  return width;
}

}  // namespace

void ScreenPainter::line(std::span<const PlotPlace> places, const render::Stroke& stroke) {
  const ImU32 ink = packed(stroke.ink);
  const float width = float(stroke.width);
  const std::vector<ImVec2> points = sharp(places, width);
  if (stroke.dash <= 0) return list_.AddPolyline(points.data(), int(points.size()), ink, 0, width);
  const float dash = float(stroke.dash);
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ImVec2 from = points[k - 1], way(points[k].x - from.x, points[k].y - from.y);
    const float length = std::hypot(way.x, way.y);
    for (float begin = 0; begin < length; begin += 2 * dash) {
      const float first = begin / length, last = std::min(begin + dash, length) / length;
      const ImVec2 ends[2] = {ImVec2(from.x + first * way.x, from.y + first * way.y),
                              ImVec2(from.x + last * way.x, from.y + last * way.y)};
      list_.AddPolyline(ends, 2, ink, 0, width);
    }
  }
}

void ScreenPainter::fill(std::span<const PlotPlace> corners, render::PlotInk ink) {
  // A bar ends sharply, so that bars that touch show no seam.
  if (corners.size() == 4 && corners[0].y == corners[1].y && corners[1].x == corners[2].x)
    return list_.AddRectFilled(at(corners[0]), at(corners[2]), packed(ink));
  std::vector<ImVec2> points;
  for (const PlotPlace& corner : corners) points.push_back(at(corner));
  list_.AddConvexPolyFilled(points.data(), int(points.size()), packed(ink));
}

void ScreenPainter::disc(PlotPlace center, double radius, render::PlotInk ink) {
  list_.AddCircleFilled(at(center), float(radius), packed(ink));
}

// Letter by letter: Dear ImGui has no turned words.
void ScreenPainter::text(PlotPlace place, const std::string& words,
                         const render::Lettering& letters) {
  const float size = float(letters.size), height = ImGui::GetFont()->FontSize;
  const std::vector<Glyph> glyphs = glyphs_of(words, size);
  const float across = -float(letters.across) * width_of(glyphs),
              down = -float(letters.down) * size;
  // Letters are sharp where they begin at a whole pixel.
  const float left =
      letters.upwards ? std::round(float(place.x) + down) : std::round(float(place.x) + across);
  const float top =
      letters.upwards ? std::round(float(place.y) - across) : std::round(float(place.y) + down);
  float pen = 0;
  for (const Glyph& drawn : glyphs) {
    const ImFontGlyph& glyph = *drawn.glyph;
    const float scale = drawn.size / height;
    if (glyph.Visible) {
      const float x0 = pen + glyph.X0 * scale, x1 = pen + glyph.X1 * scale;
      const float y0 = drawn.down + glyph.Y0 * scale, y1 = drawn.down + glyph.Y1 * scale;
      const auto corner = [&](float x, float y) {
        return letters.upwards ? ImVec2(left + y, top - x) : ImVec2(left + x, top + y);
      };
      list_.PrimReserve(6, 4);
      list_.PrimQuadUV(corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1),
                       ImVec2(glyph.U0, glyph.V0), ImVec2(glyph.U1, glyph.V0),
                       ImVec2(glyph.U1, glyph.V1), ImVec2(glyph.U0, glyph.V1), packed(letters.ink));
    }
    pen += glyph.AdvanceX * scale;
  }
}

double ScreenPainter::text_width(const std::string& words, double size) const {
  return double(width_of(glyphs_of(words, float(size))));
}

void ScreenPainter::push_clip(const render::PlotArea& area) {
  list_.PushClipRect(ImVec2(float(area.left), float(area.top)),
                     ImVec2(float(area.right), float(area.bottom)), true);
}

void ScreenPainter::pop_clip() {
  list_.PopClipRect();
}

}  // namespace haloscope::app::viewer
