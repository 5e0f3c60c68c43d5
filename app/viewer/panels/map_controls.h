#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// What the map shows, and its colors: in place of those of light on the page Look.
void show_map_controls(const PanelInput& input);

}  // namespace haloscope::app::viewer
