#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

// What the pages of the shelf say while they have nothing to show: one sentence that tells what to
// press. Empty: there is something.
namespace haloscope::app::viewer {

std::string table_hint(const PanelInput& input);
std::string plots_hint(const PanelInput& input);
std::string time_hint(const PanelInput& input);
std::string log_hint(const PanelInput& input);

}  // namespace haloscope::app::viewer
