#pragma once

#include "app/windows/panel_input.h"

namespace haloscope::app::windows {

// The part of the window that the picture has, pixels from the upper left.
struct PictureArea {
  float x = 0, y = 0, width = 1, height = 1;
};

// Draws what input.state.overlays asks for over the picture and below the panels: where things lie
// is taken from the camera of the picture on screen, not of the one to come, so that circles stay
// on their halos.
void draw_overlays(const PanelInput& input, const PictureArea& area);

}  // namespace haloscope::app::windows
