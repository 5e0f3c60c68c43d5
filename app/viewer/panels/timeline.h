#pragma once

#include "app/session/state.h"
#include "app/viewer/panels/panel_input.h"
#include "app/viewer/plots/limits_plot.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// The times of a path with room behind the last key to drag it there.
PlotLine line_of(const std::vector<session::KeyState>& path, float left, float width);

// The key whose mark is at x, within `reach` pixels; of several the nearest.
std::optional<std::size_t> key_under(const PlotLine& line,
                                     const std::vector<session::KeyState>& path, float x,
                                     float reach);

// The time at x, with as many digits as a pixel is worth.
std::string time_at(const PlotLine& line, float x);

// The path's keys as marks on a line of time: a click shows a key, a drag moves it, and a press
// beside them drags the play head. `path` has a key.
void show_timeline(const PanelInput& input);

}  // namespace haloscope::app::viewer
