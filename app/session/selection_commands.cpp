#include "analysis/snapshot/match_field.h"
#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <fmt/format.h>

namespace haloscope::app::session {

namespace {

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
  const std::string& finder = state.shown_finder;
  require_pieces(call, finder);
  const std::string& piece = analysis::require_finder(finder).words().piece;
  require(call, given(call, 0) || state.shown().selected,
          fmt::format("no {0} is selected: select {1} N first, or give its number", piece, finder));
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Piece, state);
  selection.piece = piece_at(call, 0, finder, state, actions);
  selection.finder = finder;
  selection.search = state.shown().options;
  if (given(call, 1)) selection.follow_ids = true;
  state.selection = selection;
}

// Where the snapshot is known: of one that is being read, the count tells.
void require_snapshot_field(const Call& call, const std::string& field, const SceneFacts& scene) {
  if (!scene.info) return;
  std::vector<int> types;
  for (const auto& [type, info] : scene.info->types)
    if (info.count > 0) types.push_back(type);
  try {
    analysis::match_field(*scene.info, types, field);
  } catch (const Error& error) {
    throw Error(error.what(), call.command->name);
  }
}

void select_value(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  const bool found = given(call, 3);
  SelectionState selection = selection_of_kind(
      found ? analysis::SelectionKind::FoundValue : analysis::SelectionKind::Value, state);
  selection.field = text_at(call, 0);
  if (found) {
    selection.finder = text_at(call, 3);
    selection.search = state.finding(selection.finder).options;
    require_field(call, selection.finder, selection.field, actions);
  }
  if (!found) require_snapshot_field(call, selection.field, scene);
  selection.limits = {number_at(call, 1), number_at(call, 2)};
  require(call, selection.limits[0] < selection.limits[1], "LOW must be smaller than HIGH");
  state.selection = selection;
}

// A corner of a phase diagram, typed.
void select_values(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  SelectionState selection = selection_of_kind(analysis::SelectionKind::Value, state);
  selection.field = text_at(call, 0);
  selection.limits = {number_at(call, 1), number_at(call, 2)};
  selection.second_field = text_at(call, 3);
  selection.second_limits = {{number_at(call, 4), number_at(call, 5)}};
  for (const auto& field : {selection.field, selection.second_field})
    require_snapshot_field(call, field, scene);
  require(call,
          selection.limits[0] < selection.limits[1] &&
              (*selection.second_limits)[0] < (*selection.second_limits)[1],
          "LOW must be smaller than HIGH");
  state.selection = selection;
}

}  // namespace

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
       "Select the members of a piece that is listed, as a halo; without a number the selected "
       "one's. followed: in the other snapshots of a series the same particles, as by follow_ids",
       {number_of(Named::Piece, "N", ""), choice("HOW", {"followed"}, "")},
       {},
       false,
       select_members},
      {"select_value",
       "Selection",
       "Select the particles with a field from LOW to below HIGH; with a name, a field that was "
       "found by it",
       {name_of(Named::Field, "FIELD"),
        number("LOW"),
        number("HIGH"),
        {"NAME", ArgumentKind::Finder, {}, {}, ""}},
       {},
       false,
       select_value},
      {"select_values",
       "Selection",
       "Select the particles with two fields, each from LOW to below HIGH",
       {name_of(Named::Field, "FIELD"), number("LOW"), number("HIGH"),
        name_of(Named::Field, "FIELD"), number("LOW"), number("HIGH")},
       {},
       false,
       select_values},
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
       {file_name()},
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
