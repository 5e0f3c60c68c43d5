#include "analysis/selection/named_set.h"
#include "app/session/command_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

// Sets of particles: kept selections with colors of their own.
namespace haloscope::app::session {

namespace {

using analysis::NamedSet;
using analysis::SetOperation;
using analysis::ShowSets;

constexpr const char* kSelectionWord = "selection";

// Takes the sets over, where they make sense.
void take_sets(const Call& call, std::vector<NamedSet> sets, State& state,
               SessionActions& actions) {
  try {
    analysis::check_sets(sets);
  } catch (const Error& error) {
    throw Error(error.what(), call.command->name);
  }
  state.sets = std::move(sets);
  actions.gather_sets();
}

// Nothing: particles' own.
std::optional<std::array<double, 3>> color_at(const Call& call, std::size_t k) {
  const std::string& word = text_at(call, k);
  if (word == "own") return {};
  const auto color = analysis::parse_color(word);
  std::vector<std::string> names;
  for (const auto& known : analysis::set_colors()) names.emplace_back(known.name);
  require(call, color.has_value(),
          fmt::format("'{}' is no color: take {}, own, or six hexadecimal digits as ff8800", word,
                      fmt::join(names, ", ")));
  return color;
}

NamedSet& require_set(const Call& call, const std::string& name, std::vector<NamedSet>& sets) {
  const auto found = analysis::find_set(sets, name);
  require(call, found.has_value(), fmt::format("there is no set '{}'", name));
  return sets[*found];
}

// The set of that name with its look, or a new one at the end.
NamedSet& named(const Call& call, const std::string& name, std::vector<NamedSet>& sets) {
  if (const auto found = analysis::find_set(sets, name)) return sets[*found];
  require(
      call, !analysis::is_word_of_sets(name),
      fmt::format("'{}' is a color or a word of the commands for sets: take another name", name));
  NamedSet set;
  set.name = name;
  set.color = analysis::next_color(sets);
  sets.push_back(std::move(set));
  return sets.back();
}

const SelectionState& require_selection(const Call& call, const State& state) {
  require(call, state.selection.kind != analysis::SelectionKind::None,
          "nothing is selected: select particles first");
  return state.selection;
}

void keep_selection(const Call& call, State& state, SessionActions& actions) {
  const SelectionState& selection = require_selection(call, state);
  std::vector<NamedSet> sets = state.sets;
  NamedSet& set = named(call, text_at(call, 0), sets);
  if (!text_at(call, 1).empty()) set.color = color_at(call, 1);
  set.first = {{}, selection};
  set.operation = SetOperation::None;
  set.second = {};
  take_sets(call, std::move(sets), state, actions);
}

analysis::SetOperand operand_at(const Call& call, std::size_t k, const State& state) {
  const std::string& name = text_at(call, k);
  if (name == kSelectionWord) return {{}, require_selection(call, state)};
  require(call, analysis::find_set(state.sets, name).has_value(),
          fmt::format("there is no set '{}'", name));
  return {name, {}};
}

void combine_sets(const Call& call, State& state, SessionActions& actions) {
  std::vector<NamedSet> sets = state.sets;
  const std::string& word = text_at(call, 2);
  const auto first = operand_at(call, 1, state), second = operand_at(call, 3, state);
  NamedSet& set = named(call, text_at(call, 0), sets);
  if (!text_at(call, 4).empty()) set.color = color_at(call, 4);
  set.first = first;
  set.operation = word == "union"          ? SetOperation::Union
                  : word == "intersection" ? SetOperation::Intersection
                                           : SetOperation::Difference;
  set.second = second;
  take_sets(call, std::move(sets), state, actions);
}

void remove_set(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  require_set(call, name, state.sets);
  const auto others = analysis::made_of(state.sets, name);
  require(
      call, others.empty(),
      others.size() > 1
          ? fmt::format("'{}' are made of '{}': remove them first", fmt::join(others, "', '"), name)
          : fmt::format("'{}' is made of '{}': remove it first", fmt::join(others, ""), name));
  std::vector<NamedSet> sets = state.sets;
  std::erase_if(sets, [&](const NamedSet& set) { return set.name == name; });
  take_sets(call, std::move(sets), state, actions);
  if (state.follow == name) state.follow.clear();
}

void follow_set(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  if (name == "off") return state.follow.clear();
  require_set(call, name, state.sets);
  state.follow = name;
  actions.gather_sets();
}

void show_sets(const Call& call, State& state, SessionActions& actions) {
  const std::string& word = text_at(call, 0);
  const ShowSets how = word == "highlight" ? ShowSets::Highlight
                       : word == "dim"     ? ShowSets::Dim
                       : word == "only"    ? ShowSets::Only
                                           : ShowSets::Off;
  require(call, how == ShowSets::Off || !sets_of(state).empty(),
          "nothing is selected, and there is no set: select particles first");
  state.show_sets = how;
  actions.gather_sets();
}

}  // namespace

std::vector<Command> set_commands() {
  return {
      {"set",
       "Selection",
       "Keep the selected particles as a set, in a color (sky, orange, ff8800, …) or in their own",
       {name_of(Named::Set, "NAME"), name_of(Named::Color, "COLOR", "")},
       {},
       false,
       keep_selection},
      {"combine_sets",
       "Selection",
       "Make a set of two others, of which one may be the selection; of a difference, what is in A "
       "and not in B",
       {name_of(Named::Set, "NEW"), name_of(Named::Set, "A|selection", {}, {kSelectionWord}),
        choice("OPERATION", {"union", "intersection", "difference"}),
        name_of(Named::Set, "B|selection", {}, {kSelectionWord}),
        name_of(Named::Color, "COLOR", "")},
       {},
       false,
       combine_sets},
      {"set_color",
       "Selection",
       "Give a set another color; own: its particles keep their own colors",
       {name_of(Named::Set, "NAME"), name_of(Named::Color, "COLOR")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         require_set(call, text_at(call, 0), state.sets).color = color_at(call, 1);
       }},
      {"show_set",
       "Selection",
       "Show a set, or leave it out for a while",
       {name_of(Named::Set, "NAME"), on_off()},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         NamedSet& set = require_set(call, text_at(call, 0), state.sets);
         set.shown = switched(call, 1, set.shown);
       }},
      {"remove_set",
       "Selection",
       "Forget a set",
       {name_of(Named::Set, "NAME")},
       {},
       false,
       remove_set},
      {"show_sets",
       "Selection",
       "Show the sets in their colors, the rest as it is, at a tenth of its light, or not at all; "
       "without a set, the selection",
       {choice("HOW", {"off", "highlight", "dim", "only"})},
       {},
       false,
       show_sets},
      {"follow",
       "Selection",
       "Keep the middle of a set in the middle of the picture, in each snapshot of a series and in "
       "films; off: no longer",
       {name_of(Named::Set, "SET|off", {}, {"off"})},
       {},
       false,
       follow_set},
  };
}

}  // namespace haloscope::app::session
