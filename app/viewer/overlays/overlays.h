#pragma once

#include "app/viewer/frame/area.h"
#include "app/viewer/panels/panel_input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// The part of the window that the picture has.
using PictureArea = Area;

// Where a piece is seen, pixels of the window; radius at its depth.
struct PieceCircle {
  std::uint64_t number = 0;
  float x = 0, y = 0, radius = 0;
  bool cross = false;   // in place of a circle; `radius` is its arm then
  bool framed = false;  // one of those that a rectangle of a plot selects
  bool dashed = false;  // PiecePlace::assumed
};

// The circles or crosses that are drawn, those with the lowest numbers first.
std::vector<PieceCircle> piece_circles(const PanelInput& input, const PictureArea& area);

// Those of B where two results are compared: circles alone, which no click selects.
std::vector<PieceCircle> compared_circles(const PanelInput& input, const PictureArea& area);

// The smallest of them around a point, or with its middle within a few points of it; nothing: none.
std::optional<std::uint64_t> piece_under(const PanelInput& input, const PictureArea& area, float x,
                                         float y);

// Draws what input.state.overlays asks for over the picture and below the panels: where things lie
// is taken from the camera of the picture on screen, not of the one to come, so that circles stay
// where their pieces are. `covered`: pixels at the right of the picture that an inspector lies
// over, where no legend stands.
void draw_overlays(const PanelInput& input, const PictureArea& area, float covered = 0);

// A line about what is under the cursor, at the lower edge of the picture; in two or more where it
// is wider.
void draw_cursor_line(const PanelInput& input, const PictureArea& area, const std::string& words,
                      float covered = 0);

}  // namespace haloscope::app::viewer
