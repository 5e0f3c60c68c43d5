#include "app/viewer/overlays/overlay_pen.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace haloscope::app::viewer {

const OverlayInk& overlay_ink(bool white_ground) {
  static const OverlayInk kOnDark{
      IM_COL32(235, 238, 242, 255),
      IM_COL32(0, 0, 0, 160),
      IM_COL32(0, 0, 0, 60),
      IM_COL32(0, 0, 0, 150),
      IM_COL32(150, 215, 255, 200),
      IM_COL32(255, 205, 90, 255),
      IM_COL32(255, 125, 70, 255),
      IM_COL32(150, 235, 255, 255),
      IM_COL32(170, 180, 195, 130),
      {IM_COL32(240, 110, 100, 255), IM_COL32(120, 215, 120, 255), IM_COL32(110, 160, 250, 255)}};
  static const OverlayInk kOnWhite{
      IM_COL32(15, 18, 24, 255),
      IM_COL32(255, 255, 255, 190),
      IM_COL32(255, 255, 255, 110),
      IM_COL32(255, 255, 255, 190),
      IM_COL32(15, 85, 150, 220),
      IM_COL32(190, 90, 0, 255),
      IM_COL32(165, 30, 90, 230),
      IM_COL32(0, 95, 140, 255),
      IM_COL32(80, 90, 105, 160),
      {IM_COL32(190, 40, 30, 255), IM_COL32(20, 125, 30, 255), IM_COL32(30, 75, 190, 255)}};
  return white_ground ? kOnWhite : kOnDark;
}

OverlayPen::OverlayPen(ImDrawList& list, float scale, float letter_height, const OverlayInk& ink)
    : list_(list), scale_(scale), letter_(letter_height), ink_(ink) {}

ImVec2 OverlayPen::size_of(const std::string& words) const {
  return ImGui::GetFont()->CalcTextSizeA(letter_, FLT_MAX, 0, words.c_str());
}

LabelPlaces::Place OverlayPen::place_of(float x, float y, const std::string& words) const {
  const ImVec2 size = size_of(words);
  return {x, y, x + size.x, y + size.y};
}

void OverlayPen::text(float x, float y, const std::string& words) {
  ImFont* const font = ImGui::GetFont();
  const float step = std::max(1.f, scale_);
  for (const float dx : {-step, 0.f, step})
    for (const float dy : {-step, 0.f, step})
      list_.AddText(font, letter_, ImVec2(x + dx, y + dy), ink_.outline, words.c_str());
  list_.AddText(font, letter_, ImVec2(x, y), ink_.letters, words.c_str());
  places_.take(place_of(x, y, words));
  cover(place_of(x, y, words));
}

void OverlayPen::cover(const LabelPlaces::Place& place) {
  if (!covered_) covered_ = place;
  covered_ = {std::min(covered_->left, place.left), std::min(covered_->top, place.top),
              std::max(covered_->right, place.right), std::max(covered_->bottom, place.bottom)};
}

void OverlayPen::begin_legend() {
  covered_.reset();
  list_.ChannelsSplit(2);
  list_.ChannelsSetCurrent(1);
}

void OverlayPen::end_legend() {
  list_.ChannelsSetCurrent(0);
  if (covered_) {
    const float edge = 5 * scale_;
    const LabelPlaces::Place ground{covered_->left - edge, covered_->top - edge,
                                    covered_->right + edge, covered_->bottom + edge};
    list_.AddRectFilled(ImVec2(ground.left, ground.top), ImVec2(ground.right, ground.bottom),
                        ink_.ground, 3 * scale_);
    places_.take(ground);
  }
  list_.ChannelsMerge();
}

void OverlayPen::ring(ImVec2 at, float radius, ImU32 color, float width) {
  constexpr float kOff = 0.1f, kPi = 3.14159265f;
  const float half_side = std::acos(1 - std::min(0.5f, kOff / std::max(radius, 1.f)));
  const int sides = std::clamp(int(kPi / half_side) + 1, 12, 2000);
  list_.PathArcTo(at, radius, 0, 2 * kPi * float(sides - 1) / float(sides), sides - 1);
  list_.PathStroke(color, ImDrawFlags_Closed, width);
}

void OverlayPen::dashed_ring(ImVec2 at, float radius, ImU32 color, float width) {
  constexpr float kTurn = 6.2831853f, kPeriod = 9, kDash = 0.6f;  // points from dash to dash
  const int dashes = std::clamp(int(kTurn * radius / (kPeriod * scale_)), 6, 240);
  const float period = kTurn / float(dashes);
  for (int k = 0; k < dashes; ++k) {
    const float begin = float(k) * period;
    // Within a tenth of a pixel of the arc up to a radius of 80,000 pixels.
    list_.PathArcTo(at, radius, begin, begin + kDash * period, 8);
    list_.PathStroke(color, 0, width);
  }
}

void OverlayPen::cross(ImVec2 at, float arm, ImU32 color, float width) {
  list_.AddLine(ImVec2(at.x - arm, at.y), ImVec2(at.x + arm, at.y), color, width);
  list_.AddLine(ImVec2(at.x, at.y - arm), ImVec2(at.x, at.y + arm), color, width);
}

}  // namespace haloscope::app::viewer
