#include "app/session/find_command.h"

#include "app/session/command_groups.h"
#include "app/session/option_arguments.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace haloscope::app::session {

namespace {

void find(const Call& call, State& state, SessionActions& actions) {
  const analysis::Finder& finder = analysis::require_finder(text_at(call, 0));
  const SceneFacts scene = require_scene(call, actions);
  analysis::AnyOptions options;
  try {
    options = search_options(call, 1, finder, scene);
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), "find " + finder.name());
  }
  begin_search(call, finder.name(), options, state, actions);
  // Of a cut they stay: values are the same ones.
  state.finding(finder.name()).births.reset();
  state.finding(finder.name()).deaths.reset();
}

}  // namespace

analysis::AnyOptions search_options(const Call& call, std::size_t first,
                                    const analysis::Finder& finder, const SceneFacts& scene) {
  std::vector<std::string> words;
  for (std::size_t k = first; k < call.values.size(); ++k) words.push_back(text_at(call, k));
  OptionArguments read = read_option_arguments(words, finder.options(), longest_side(scene));
  for (const std::string& name : analysis::names_of(read.options)) {
    if (scene.info || read.given.count(name) || !finder.completes_option(name)) continue;
    throw analysis::OptionError(
        fmt::format("what {} should be is not known before the snapshot is read",
                    analysis::marked(name)),
        {}, fmt::format("wait for it, or give {}", analysis::marked(name)));
  }
  if (scene.info) finder.complete(read.options, read.given, *scene.info);
  return read.options;
}

Error fault_of_options(const Call& call, const std::string& finder,
                       const analysis::OptionError& error,
                       const std::map<std::string, std::string>& words) {
  const auto word_of = [&](const std::string& option) {
    const auto word = words.find(option);
    return word == words.end() ? option : word->second;
  };
  const std::string& command = call.command->name;
  return Error(analysis::spelled(error.what(), word_of),
               command == "find" ? "find " + finder : command);
}

void begin_search(const Call& call, const std::string& name, const analysis::AnyOptions& options,
                  State& state, SessionActions& actions,
                  const std::map<std::string, std::string>& words) {
  try {
    analysis::require_finder(name).require_options(options, actions.scene().info);
    FindingState& finding = state.finding(name);
    finding.options = options;
    finding.searched = true;
    finding.selected.reset();
    state.shown_finder = name;
    actions.find(state, name);
  } catch (const analysis::OptionError& error) {
    throw fault_of_options(call, name, error, words);
  }
}

std::string find_line(const std::string& finder, const analysis::AnyOptions& options) {
  return "find " + finder + words_of_options(options);
}

Command find_command() {
  Argument keys = name_of(Named::Option, "KEY=VALUE", "");
  keys.many = true;
  Command command;
  command.name = "find";
  command.group = "Find";
  command.help =
      "Search in the snapshot, with the command line's options: `haloscope WHAT --help` tells them";
  command.arguments = {{"WHAT", ArgumentKind::Finder, {}, {}, {}}, keys};
  command.run = find;
  command.recorded = [](const Call& ran, const State& state) {
    return find_line(text_at(ran, 0), state.finding(text_at(ran, 0)).options);
  };
  return command;
}

}  // namespace haloscope::app::session
