#include "analysis/option_parsing/option_error.h"
#include "app/session/command_groups.h"
#include "app/session/comparing.h"
#include "app/session/find_command.h"
#include "app/session/option_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace haloscope::app::session {

namespace {

constexpr const char* kOff = "off";

bool says_options(const Call& call) {
  for (std::size_t k = 1; k < call.values.size(); ++k)
    if (!text_at(call, k).empty()) return true;
  return false;
}

// Without options: what the finder has found, or where that is listed, what it found before.
analysis::AnyOptions known_search(const Call& call, const std::string& finder, const State& state,
                                  const SceneFacts& scene) {
  if (finder != state.shown_finder) {
    require_searched(call, finder, state);
    return state.finding(finder).options;
  }
  const auto before = scene.searched_before.find(finder);
  const std::string& pieces = analysis::require_finder(finder).words().pieces;
  require(call, before != scene.searched_before.end(),
          fmt::format("{0} have been searched for once here: search again with other options, or "
                      "give the options of the other search (compare {1} KEY=VALUE …)",
                      pieces, finder));
  return before->second;
}

void compare(const Call& call, State& state, SessionActions& actions) {
  const std::string& finder = text_at(call, 0);
  if (finder == kOff) {
    require(call, !says_options(call), "`off` takes no options");
    return state.compared.reset();
  }
  const SceneFacts scene = require_scene(call, actions);
  require_pieces(call, finder);
  require_pieces(call, state.shown_finder);
  require_searched(call, state.shown_finder, state);
  ComparedState asked{finder, {}, ShownResults::Both};
  if (state.compared) asked.show = state.compared->show;
  try {
    asked.options = says_options(call)
                        ? search_options(call, 1, analysis::require_finder(finder), scene)
                        : known_search(call, finder, state, scene);
    analysis::require_finder(finder).require_options(asked.options, scene.info);
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), "compare " + finder);
  }
  require(call, finder != state.shown_finder || asked.options != state.finding(finder).options,
          "that is the search whose result is listed: give other options");
  state.compared = asked;
  actions.measure_again();
}

void show_compared(const Call& call, State& state, SessionActions&) {
  require(call, state.compared.has_value(), "nothing is compared: compare WHAT begins it");
  ShownResults& show = state.compared->show;
  const std::string& word = text_at(call, 0);
  if (word == "toggle") {
    show = show == ShownResults::First ? ShownResults::Second : ShownResults::First;
    return;
  }
  const auto& words = shown_results_words();
  show = ShownResults(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace

const std::vector<std::string>& shown_results_words() {
  static const std::vector<std::string> words{"both", "first", "second", "differences"};
  return words;
}

bool is_compared_plot(const std::string& plot) {
  return plot == "compared_counts" || plot == "mass_ratios" || plot == "both_mass_functions";
}

std::string compare_line(const ComparedState& compared) {
  return "compare " + compared.finder + words_of_options(compared.options);
}

std::vector<Command> comparing_commands() {
  Argument keys = name_of(Named::Option, "KEY=VALUE", "");
  keys.many = true;
  std::vector<std::string> shown = shown_results_words();
  shown.emplace_back("toggle");
  std::vector<Command> all{
      {"compare",
       "Find",
       "Compare what is listed, A, with what another search finds, B: its finder and options; "
       "without options what that finder has found, or found before; off: no more",
       {{"NAME", ArgumentKind::Finder, {}, {kOff}, {}, false, true}, keys},
       {},
       false,
       compare},
      {"show_compared",
       "Find",
       "Circle A and B, one of them, or what has no partner in the other; toggle: A and B in turn",
       {choice("WHAT", shown, "toggle")},
       {{"B", "", "Circle A and B in turn", false}},
       false,
       show_compared},
  };
  all[0].recorded = [](const Call&, const State& state) {
    return state.compared ? compare_line(*state.compared) : std::string("compare off");
  };
  return all;
}

}  // namespace haloscope::app::session
