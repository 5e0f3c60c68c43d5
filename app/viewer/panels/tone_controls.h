#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// Exposure, gamma and tone curve, as a part of a panel.
void show_tone_controls(const PanelInput& input);

// Ground and letters, of maps too.
void show_print_controls(const PanelInput& input);

}  // namespace haloscope::app::viewer
