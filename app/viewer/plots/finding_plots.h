#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// The plots of what is listed and of what was measured, each with its words and the file that it is
// written to: the one that the layout names, and those behind it side by side where there is room.
void show_finding_plots(const PanelInput& input);

// Their names, to be pressed, on the line of the shelf's tabs up to `right`; a list where there is
// no room for buttons. Nothing where there is one plot or none.
void show_plot_names(const PanelInput& input, float right);

}  // namespace haloscope::app::viewer
