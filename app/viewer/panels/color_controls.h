#pragma once

#include "app/viewer/panels/panel_input.h"
#include "compute/splotch/settings.h"

#include <string>

// How a color follows its field, of a particle type or of what was found. `target`: as the commands
// call it.
namespace haloscope::app::viewer {

void choose_color_map(const PanelInput& input, const std::string& target,
                      const std::string& chosen);
// `color`: as it is drawn.
void choose_scale(const PanelInput& input, const std::string& target,
                  const compute::splotch::Ranging& color);
// As they are drawn. What the program chose is told no closer than it is worth.
session::Limits limits_of(const session::ColorChoice& said, const compute::splotch::Ranging& color);
void choose_limits(const PanelInput& input, const std::string& target, session::Limits limits);

}  // namespace haloscope::app::viewer
