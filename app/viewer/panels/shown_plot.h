#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

namespace haloscope::app::viewer {

// Brings a plot into view by its name. A low shelf, where axes have no room, becomes higher.
inline void show_plot_of(const PanelInput& input, const std::string& name) {
  input.emit("shelf plots " + name);
  if (input.state.layout.shelf_height < session::kShelfSteps[1]) input.emit("shelf_height 0.4");
}

}  // namespace haloscope::app::viewer
