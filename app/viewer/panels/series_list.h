#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// The snapshots of the series that is open, a row for each: its number, file, and redshift or time,
// as its header says. A click shows it.
void show_series_list(const PanelInput& input);

}  // namespace haloscope::app::viewer
