#pragma once

#include "app/windows/panel_input.h"

namespace haloscope::app::windows {

// Exposure, gamma and tone curve, as a part of a panel.
void show_tone_controls(const PanelInput& input);

}  // namespace haloscope::app::windows
