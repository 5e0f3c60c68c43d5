#include "analysis/selection/number_list.h"
#include "app/session/camera.h"
#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What is drawn over the picture or a plot becomes the selection.
namespace haloscope::app::session {

namespace {

constexpr std::size_t kMostCorners = 1000;

SelectionState drawn_selection(analysis::SelectionKind kind, const State& state) {
  SelectionState selection;
  selection.kind = kind;
  selection.made_in = state.current;
  selection.follow_ids = state.selection.follow_ids;
  return selection;
}

io::Outline outline_of(const Camera& camera) {
  io::Outline outline;
  outline.middle = camera.center;
  outline.right = right_of(camera);
  outline.up = up_of(camera);
  outline.distance = camera.distance;
  outline.width = width_at(camera, camera.distance);
  outline.perspective = camera.perspective;
  return outline;
}

void select_lasso(const Call& call, State& state, SessionActions& actions) {
  io::Outline outline = outline_of(require_camera(call, state, actions));
  const std::size_t numbers = call.values.size();
  require(call, numbers % 2 == 0,
          fmt::format("{} numbers are no places: give X and Y of each corner", numbers));
  require(call, numbers >= 6, "a line around particles has three corners or more");
  require(call, numbers <= 2 * kMostCorners,
          fmt::format("a line has {} corners at most", kMostCorners));
  for (std::size_t k = 0; k < numbers; k += 2)
    outline.corners.push_back({{number_at(call, k), number_at(call, k + 1)}});
  state.selection = drawn_selection(analysis::SelectionKind::Outline, state);
  state.selection.outline = outline;
}

// A plot whose parts mean particles.
const analysis::PlotParticles& brushed_plot(
    const Call& call, const std::map<std::string, analysis::PlotParticles>& of) {
  const auto found = of.find(text_at(call, 0));
  if (found != of.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, particles] : of) names.push_back(name);
  require(call, !names.empty(),
          "no plot is there whose parts are particles: measure a profile or a phase diagram, find "
          "halos or clusters, or compare two results");
  throw Error(fmt::format("parts of '{}' are no particles here: take {}", text_at(call, 0),
                          fmt::join(names, ", ")),
              call.command->name);
}

void select_fields(const Call& call, const analysis::PlotParticles& particles, const Limits& x,
                   const std::optional<Limits>& y, State& state) {
  SelectionState selection = drawn_selection(analysis::SelectionKind::Value, state);
  selection.field = particles.x;
  selection.limits = x;
  require(call, !y || !particles.y.empty(),
          fmt::format("y of {} is no field of particles: give LOW and HIGH of x alone",
                      text_at(call, 0)));
  if (y) {
    selection.second_field = particles.y;
    selection.second_limits = y;
  }
  state.selection = selection;
}

void select_shell(const analysis::PlotParticles& particles, const Limits& radii, State& state) {
  SelectionState selection = drawn_selection(analysis::SelectionKind::Sphere, state);
  selection.center = *particles.center;
  selection.radius = radii[1];
  if (radii[0] > 0) selection.inner = radii[0];
  state.selection = selection;
}

void select_pieces(const Call& call, const analysis::PlotParticles& particles, const Limits& x,
                   State& state) {
  require_pieces(call, state.shown_finder);
  SelectionState selection = drawn_selection(analysis::SelectionKind::Pieces, state);
  selection.finder = state.shown_finder;
  selection.search = state.shown().options;
  selection.field = particles.property;
  selection.limits = {x[0] * particles.unit, x[1] * particles.unit};
  state.selection = selection;
}

// A branch holds the particles of all that split off it.
void select_places(const Call& call, const analysis::PlotPieces& pieces, const Limits& x,
                   const std::optional<Limits>& y, State& state) {
  require(call, !y || pieces.has_height,
          fmt::format("y of {} is no number of one of them: give LOW and HIGH of x alone",
                      text_at(call, 0)));
  require_pieces(call, state.shown_finder);
  const auto lies_in = [](double value, const Limits& limits) {
    return value >= limits[0] && value < limits[1];
  };
  std::vector<std::uint64_t> numbers;
  for (const auto& place : pieces.places)
    if (lies_in(place.x, x) && (!y || lies_in(place.y, *y))) numbers.push_back(place.number);
  require(call, !numbers.empty(),
          fmt::format("no {} of {} lies there: draw around some of them",
                      pieces.branches ? "branch" : "point", text_at(call, 0)));
  SelectionState selection = drawn_selection(
      pieces.branches ? analysis::SelectionKind::Branch : analysis::SelectionKind::Pieces, state);
  selection.finder = state.shown_finder;
  selection.search = state.shown().options;
  selection.piece = numbers.front();
  selection.numbers = analysis::number_list(std::move(numbers));
  state.selection = selection;
}

Limits limits_at(const Call& call, std::size_t k, const char* axis) {
  const Limits limits{number_at(call, k), number_at(call, k + 1)};
  require(call, limits[0] < limits[1], fmt::format("{0}_LOW must be smaller than {0}_HIGH", axis));
  return limits;
}

void brush(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  const analysis::PlotParticles& particles = brushed_plot(call, scene.brushable);
  const Limits x = limits_at(call, 1, "X");
  require(call, given(call, 3) == given(call, 4), "Y_LOW and Y_HIGH belong together");
  std::optional<Limits> y;
  if (given(call, 3)) y = limits_at(call, 3, "Y");
  if (particles.pieces) return select_places(call, *particles.pieces, x, y, state);
  if (!particles.x.empty()) return select_fields(call, particles, x, y, state);
  require(call, !y,
          fmt::format("y of {} is no field of particles: give LOW and HIGH of x alone",
                      text_at(call, 0)));
  if (!particles.center) return select_pieces(call, particles, x, state);
  require(call, x[1] > 0, "X_HIGH must be above 0: it is a radius");
  select_shell(particles, x, state);
}

}  // namespace

std::vector<Command> brushing_commands() {
  Argument places = number("X Y");
  places.many = true;
  return {
      {"select_lasso",
       "Selection",
       "Select what is seen inside a line over the picture, near and far: X and Y of its corners, "
       "in widths of the picture from its middle",
       {places},
       {{"Ctrl+Shift+left drag", "", "Select what is seen inside a line", true}},
       false,
       select_lasso},
      {"brush",
       "Selection",
       "Select the particles of a part of a plot: of a phase diagram or histogram by the fields, "
       "of a profile between two radii, of a mass function or a comparison the members of these "
       "halos, of a hierarchy those of the branches that split off there",
       {name_of(Named::Plot, "PLOT"), number("X_LOW"), number("X_HIGH"), number("Y_LOW", ""),
        number("Y_HIGH", "")},
       {{"Shift+left drag in a plot", "", "Select the particles of a part of a plot", true}},
       false,
       brush},
  };
}

}  // namespace haloscope::app::session
