#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// The plots of what is listed, with their axes and error bars, as a part of a panel.
void show_finding_plots(const PanelInput& input);

}  // namespace haloscope::app::viewer
