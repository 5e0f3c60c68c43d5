#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <fmt/format.h>

// The slice through the grid of what was found.
namespace haloscope::app::session {

namespace {

SceneFacts::GridFacts require_grid(const Call& call, const SessionActions& actions) {
  const auto grid = require_scene(call, actions).grid;
  require(call, grid.has_value(),
          fmt::format("there is no grid yet: find {} first, and wait for it", finder_with_grid()));
  return *grid;
}

// Without a position that which it has, if it lies in the grid, or else the middle.
void slice(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  if (name == "off") {
    require(call, !given(call, 1), "`off` takes no POSITION");
    return state.slice.axis.reset();
  }
  const render::Bounds bounds = require_grid(call, actions).bounds;
  const std::size_t axis = std::size_t(name[0] - 'x');
  const double low = bounds.low[axis], high = bounds.high[axis];
  double position = state.slice.position;
  const auto is_inside = [&] { return position >= low && position <= high; };
  if (given(call, 1)) {
    position = length_at(call, 1, actions);
    require(call, is_inside(),
            fmt::format("POSITION {:.6g} lies outside the grid: give one from {:.6g} to {:.6g}",
                        position, low, high));
  } else if (state.slice.axis != axis || !is_inside()) {
    position = low + 0.5 * (high - low);
  }
  state.slice.axis = axis;
  state.slice.position = position;
}

}  // namespace

std::vector<Command> slice_commands() {
  return {
      {"slice",
       "Find",
       "Show a plane of the grid of the peaks through the picture, across an axis at POSITION",
       {choice("AXIS", {"x", "y", "z", "off"}), length("POSITION", "")},
       {},
       false,
       slice},
      {"slice_opacity",
       "Find",
       "How much of the picture the slice covers: from 0, nothing, to 1, all",
       {number("OPACITY")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const double opacity = number_at(call, 0);
         require(call, opacity >= 0 && opacity <= 1, "OPACITY must lie between 0 and 1");
         state.slice.opacity = opacity;
       }},
  };
}

}  // namespace haloscope::app::session
