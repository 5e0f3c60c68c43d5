#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// The mass function of the halos that were found, with its axes and error bars, as a part of a
// panel. Call only where halos were found.
void show_mass_function(const PanelInput& input);

}  // namespace haloscope::app::viewer
