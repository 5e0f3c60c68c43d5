#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

// What every analysis offers, by the finder's name.
namespace haloscope::app::session {

namespace {

const analysis::FinderWords& words_of(const std::string& finder) {
  return analysis::require_finder(finder).words();
}

Argument finder_name(std::vector<std::string> or_else = {}) {
  return {"NAME", ArgumentKind::Finder, {}, std::move(or_else), {}};
}

// Without a number none.
void select(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = text_at(call, 0);
  state.shown_finder = finder;
  select_piece(call, 1, finder, state, actions);
  if (given(call, 1)) return;
  state.finding(finder).births.reset();
  state.finding(finder).deaths.reset();
}

// Without numbers none.
void select_pairs(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = text_at(call, 0);
  require_pieces(call, finder);
  require_searched(call, finder, state);
  FindingState& finding = state.finding(finder);
  const bool some = given(call, 1);
  for (std::size_t k = 2; k <= 4; ++k)
    require(call, given(call, k) == some, "the four numbers belong together");
  std::optional<Limits> births, deaths;
  if (some) {
    births = Limits{number_at(call, 1), number_at(call, 2)};
    deaths = Limits{number_at(call, 3), number_at(call, 4)};
    for (const auto& limits : {births, deaths})
      require(call, (*limits)[0] < (*limits)[1], "LOW must be smaller than HIGH");
    require(call, actions.scene().plots_of_pairs.count(finder) > 0,
            fmt::format("{} have no diagram of births and deaths", words_of(finder).pieces));
  }
  finding.births = births;
  finding.deaths = deaths;
  state.shown_finder = finder;
}

void color_by(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = text_at(call, 0);
  const std::string& field = text_at(call, 1);
  const bool off = finder == "off";
  require(call, !off || field.empty(), "`off` takes no FIELD");
  if (!off && !field.empty()) require_field(call, finder, field, actions);
  for (auto& [name, finding] : state.findings) finding.color_particles = name == finder;
  if (off) return;
  FindingState& finding = state.finding(finder);
  if (finding.color_field != field) {
    finding.look.scale.reset();
    finding.look.limits.reset();
  }
  finding.color_field = field;
}

// What is cut alike already is no new step.
void cut(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  require_scene(call, actions);
  require_pieces(call, name);
  std::optional<std::uint64_t> members;
  if (given(call, 2)) members = std::uint64_t(number_at(call, 2));
  require(call, !members || *members > 0, "MEMBERS must be 1 or more");
  const std::map<std::string, std::string> words{{"cut", "WHERE"}, {"min_cluster_size", "MEMBERS"}};
  analysis::AnyOptions options;
  try {
    options = analysis::require_finder(name).cut_elsewhere(state.finding(name).options,
                                                           text_at(call, 1), members);
  } catch (const analysis::OptionError& error) {
    throw fault_of_options(call, name, error, words);
  }
  require_searched(call, name, state);
  if (state.finding(name).options == options) return;
  // Pieces of one height have no fields of their own.
  if (text_at(call, 1) != "off") state.finding(name).color_field.clear();
  begin_search(call, name, options, state, actions, words);
}

void select_branch(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  const auto number = std::uint64_t(number_at(call, 1));
  require_pieces(call, name);
  require_searched(call, name, state);
  const auto branches = actions.scene().branches;
  const auto found = branches.find(name);
  require(
      call, found != branches.end(),
      fmt::format("these {} have no branches: find {} without a cut", words_of(name).pieces, name));
  const analysis::FoundBranches& tree = *found->second;
  require(call, number < tree.count(),
          fmt::format("there is no branch {}: there are {}, from 0 on", number, tree.count()));
  SelectionState selection;
  selection.kind = analysis::SelectionKind::Branch;
  selection.made_in = state.current;
  selection.follow_ids = state.selection.follow_ids;
  selection.piece = number;
  selection.finder = name;
  selection.search = state.finding(name).options;
  state.selection = selection;
  // A branch that is a piece is selected as one too: table and circles show it.
  const std::uint32_t none = Labels::kNone;
  const std::uint32_t piece = number < tree.piece.size() ? tree.piece[std::size_t(number)] : none;
  std::optional<std::uint64_t>& selected = state.finding(name).selected;
  selected.reset();
  if (piece != none) selected = piece;
  fly_to_place(call, tree.places[std::size_t(number)], state, actions);
}

void export_finding(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = text_at(call, 0);
  require_searched(call, finder, state);
  actions.export_finding(finder, text_at(call, 1), call.overwrite);
}

void export_plot(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = state.shown_finder;
  if (!is_measured_plot(text_at(call, 0))) require_searched(call, finder, state);
  actions.export_plot(finder, text_at(call, 0), text_at(call, 1), call.overwrite);
}

}  // namespace

void require_field(const Call& call, const std::string& finder, const std::string& field,
                   const SessionActions& actions) {
  const SceneFacts scene = actions.scene();
  const auto known = scene.finding_fields.find(finder);
  require(call, known != scene.finding_fields.end() && known->second.count(field) > 0,
          fmt::format("{} found no field '{}'", finder, field));
}

void require_searched(const Call& call, const std::string& finder, const State& state) {
  const analysis::FinderWords& words = words_of(finder);
  require(call, state.finding(finder).searched,
          words.has_pieces()
              ? fmt::format("no {} {}: {} first", words.pieces,
                            words.how.empty() ? "have been searched for" : "have been loaded",
                            words.way())
              : fmt::format("{0} has not been searched for: find {0} first", finder));
}

void require_pieces(const Call& call, const std::string& finder) {
  require(call, words_of(finder).has_pieces(),
          fmt::format("{} finds fields of the particles, and no pieces", finder));
}

std::uint64_t piece_at(const Call& call, std::size_t k, const std::string& finder,
                       const State& state, const SessionActions& actions) {
  require_pieces(call, finder);
  const std::string& piece = words_of(finder).piece;
  const auto selected = state.finding(finder).selected;
  require(call, given(call, k) || selected, fmt::format("no {} is selected", piece));
  const auto number = given(call, k) ? std::uint64_t(number_at(call, k)) : selected.value_or(0);
  require_piece(call, state, actions, finder, number);
  return number;
}

void select_piece(const Call& call, std::size_t k, const std::string& finder, State& state,
                  SessionActions& actions) {
  auto& selected = state.finding(finder).selected;
  if (!given(call, k)) return selected.reset();
  selected = piece_at(call, k, finder, state, actions);
}

std::vector<Command> finding_commands() {
  return {
      find_command(),
      {"select",
       "Find",
       "Select a piece of what was found, by its number; without a number none",
       {finder_of_pieces(), number_of(Named::Piece, "N", "")},
       {{"Click", "", "Select the piece under the cursor", true}},
       false,
       select},
      {"select_pairs",
       "Find",
       "Select the pieces in a rectangle of the persistence diagram, by births and deaths; without "
       "numbers none",
       {finder_of_pieces(), number("BIRTH_LOW", ""), number("BIRTH_HIGH", ""),
        number("DEATH_LOW", ""), number("DEATH_HIGH", "")},
       {},
       false,
       select_pairs},
      {"cut",
       "Find",
       "Cut what was found at another height, without a search: distance:LENGTH, count:N, "
       "spacings:B, or off; with MEMBERS or more, else as before",
       {finder_of_pieces(),
        name_of(Named::Nothing, "WHERE", {}, {"distance:", "count:", "spacings:", "off"}),
        whole("MEMBERS", "")},
       {},
       false,
       cut},
      {"select_branch",
       "Find",
       "Select the members of a branch of a condensed tree, by its number, and bring them to the "
       "middle",
       {finder_of_pieces(), whole("BRANCH")},
       {},
       false,
       select_branch},
      {"structures",
       "Find",
       "List, circle and plot what was found by that name",
       {finder_name()},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         state.shown_finder = text_at(call, 0);
       }},
      {"color_by",
       "Find",
       "Color the particles by what was found: its pieces, or a FIELD of it; off: by their own",
       {finder_name({"off"}), name_of(Named::Field, "FIELD", "")},
       {},
       false,
       color_by},
      {"export",
       "Find",
       "Write the catalog of what was found, or its fields where it has none: .hdf5 or .csv",
       {finder_name(), file_name()},
       {},
       false,
       export_finding,
       true},
      {"export_plot",
       "Find",
       "Write a plot of what is listed, as the mass function of halos, or of what was measured: "
       ".csv (its numbers), .svg (for print) or .png",
       {name_of(Named::Plot, "PLOT"), file_name()},
       {},
       false,
       export_plot,
       true},
  };
}

}  // namespace haloscope::app::session
