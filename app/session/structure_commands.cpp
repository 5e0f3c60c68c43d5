#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <cmath>

namespace haloscope::app::session {

namespace {

// As it was before there were more options: of these alone, with nothing attached.
void find_halos(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  analysis::HaloOptions options;
  options.spacings = given(call, 0) ? number_at(call, 0) : state.halos.spacings;
  options.min_members =
      given(call, 1) ? std::uint64_t(number_at(call, 1)) : state.halos.min_members;
  options.min_points =
      given(call, 2) ? int(std::min(number_at(call, 2), 1e9)) : state.halos.min_points;
  if (given(call, 3)) options.epsilon = length_at(call, 3, actions);
  require_search(call, options, scene,
                 {{"linking_length", "SPACINGS"},
                  {"min_members", "MEMBERS"},
                  {"min_points", "POINTS"},
                  {"epsilon", "EPSILON"}});
  static_cast<analysis::HaloOptions&>(state.halos) = options;
  state.halos.searched = true;
  state.halos.selected.reset();
  actions.find_halos(state);
}

void select_halo(const Call& call, State& state, SessionActions& actions) {
  if (!given(call, 0)) return state.halos.selected.reset();
  const auto number = std::uint64_t(number_at(call, 0));
  require(call, actions.halo(number).has_value(), "there is no halo " + std::to_string(number));
  state.halos.selected = number;
}

SelectionState selection_of_kind(analysis::SelectionKind kind, const State& state) {
  SelectionState selection;
  selection.kind = kind;
  selection.made_in = state.current;
  selection.follow_ids = state.selection.follow_ids;
  return selection;
}

void select_box(const Call& call, State& state, SessionActions& actions) {
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Box, state);
  for (std::size_t c = 0; c < 3; ++c) {
    selection.low[c] = length_at(call, c, actions);
    selection.high[c] = length_at(call, c + 3, actions);
    require(call,
            selection.low[c] < selection.high[c] ||
                (actions.scene().periodic && selection.low[c] > selection.high[c]),
            "the box is empty: its first corner must be the lower one");
  }
  state.selection = selection;
}

void select_sphere(const Call& call, State& state, SessionActions& actions) {
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Sphere, state);
  for (std::size_t c = 0; c < 3; ++c) selection.center[c] = length_at(call, c, actions);
  selection.radius = length_at(call, 3, actions);
  require(call, selection.radius > 0, "RADIUS must be greater than 0");
  state.selection = selection;
}

void select_members(const Call& call, State& state, SessionActions& actions) {
  require(call, given(call, 0) || state.halos.selected,
          "no halo is selected: select_halo first, or give its number");
  const auto number =
      given(call, 0) ? std::uint64_t(number_at(call, 0)) : state.halos.selected.value_or(0);
  require(call, actions.halo(number).has_value(), "there is no halo " + std::to_string(number));
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Halo, state);
  selection.halo = number;
  selection.search = state.halos;
  state.selection = selection;
}

void select_value(const Call& call, State& state, SessionActions& actions) {
  require_scene(call, actions);
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Value, state);
  selection.field = text_at(call, 0);
  selection.limits = {number_at(call, 1), number_at(call, 2)};
  require(call, selection.limits[0] < selection.limits[1], "LOW must be smaller than HIGH");
  state.selection = selection;
}

}  // namespace

std::vector<Command> halo_commands() {
  return {
      find_command(),
      {"find_halos",
       "Halos",
       "Search for halos of dark matter alone: linking length in mean spacings, or EPSILON as a "
       "length in its place",
       {number("SPACINGS", ""), whole("MEMBERS", ""), whole("POINTS", ""), length("EPSILON", "")},
       {},
       false,
       find_halos},
      {"select_halo",
       "Halos",
       "Select a halo (0: the largest); without a number none",
       {whole("HALO", "")},
       {{"Click", "", "Select the halo under the cursor", true}},
       false,
       select_halo},
      {"color_by_halo",
       "Halos",
       "Color the particles by their halo, those in none gray",
       {on_off()},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         state.halos.color_particles = switched(call, 0, state.halos.color_particles);
       }},
      {"export_halos",
       "Halos",
       "Write the catalog: .hdf5 or .csv",
       {text("FILE")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, state.halos.searched, "no halos have been searched for: find halos first");
         actions.export_halos(state, text_at(call, 0), call.overwrite);
       },
       true},
      {"export_plot",
       "Halos",
       "Write a plot: .csv (its numbers), .svg (for print) or .png",
       {choice("NAME", {"mass_function"}), text("FILE")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, state.halos.searched, "no halos have been searched for: find halos first");
         actions.export_plot(text_at(call, 0), text_at(call, 1), call.overwrite);
       },
       true},
  };
}

std::vector<Command> selection_commands() {
  return {
      {"select_box",
       "Selection",
       "Select the particles in a box",
       {length("X0"), length("Y0"), length("Z0"), length("X1"), length("Y1"), length("Z1")},
       {},
       false,
       select_box},
      {"select_sphere",
       "Selection",
       "Select the particles in a sphere",
       {length("X"), length("Y"), length("Z"), length("RADIUS")},
       {},
       false,
       select_sphere},
      {"select_members",
       "Selection",
       "Select a halo's members; without a number the selected one's",
       {whole("HALO", "")},
       {},
       false,
       select_members},
      {"select_value",
       "Selection",
       "Select the particles with a field from LOW to below HIGH",
       {text("FIELD"), number("LOW"), number("HIGH")},
       {},
       false,
       select_value},
      {"select_none",
       "Selection",
       "Select nothing",
       {},
       {},
       false,
       [](const Call&, State& state, SessionActions&) {
         const bool follows = state.selection.follow_ids;
         state.selection = {};
         state.selection.follow_ids = follows;
       }},
      {"count_selection",
       "Selection",
       "Count the selected particles once more, after it was stopped or failed",
       {},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, state.selection.kind != analysis::SelectionKind::None,
                 "nothing is selected");
         actions.count_selection();
       }},
      {"follow_ids",
       "Selection",
       "In other snapshots of the series, select the same particles by ID",
       {on_off()},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const bool on = switched(call, 0, state.selection.follow_ids);
         require(call, !on || state.selection.kind != analysis::SelectionKind::None,
                 "nothing is selected");
         state.selection.follow_ids = on;
       }},
      {"export_selection",
       "Selection",
       "Write the selected particles as a snapshot: .hdf5",
       {text("FILE")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, state.selection.kind != analysis::SelectionKind::None,
                 "nothing is selected");
         actions.export_selection(state, text_at(call, 0), call.overwrite);
       },
       true},
  };
}

}  // namespace haloscope::app::session
