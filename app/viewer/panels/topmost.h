#pragma once

#include <functional>
#include <map>
#include <string>

namespace haloscope::app::viewer {

// What Escape closes before it stops a job: an open list, else a sheet above the rest (`open`: of
// PanelMemory). Returns whether there was one. Call between two frames of Dear ImGui.
bool close_topmost(const std::map<std::string, bool>& open,
                   const std::function<void(const std::string&)>& emit);

}  // namespace haloscope::app::viewer
