#include "app/session/find_command.h"

#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "app/session/command_groups.h"
#include "app/session/command_text.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace haloscope::app::session {

namespace {

// Reads KEY=VALUE after KEY=VALUE.
class Arguments {
 public:
  Arguments(const Call& call, const SceneFacts& scene, analysis::AnyOptions defaults)
      : options(std::move(defaults)), scene_(scene) {
    for (std::size_t k = 1; k < call.values.size(); ++k)
      if (!text_at(call, k).empty()) read(text_at(call, k));
    for (const auto& [name, other] : replaces_)
      if (given_.count(other))
        throw analysis::OptionError(fmt::format("{} and {} say the same in two ways",
                                                analysis::marked(other), analysis::marked(name)),
                                    {}, "give one of them");
  }

  const std::set<std::string>& given() const { return given_; }
  analysis::AnyOptions options;

 private:
  void read(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      throw analysis::OptionError(fmt::format("'{}' is no option", word), {}, "write KEY=VALUE");
    const std::string name = word.substr(0, equals);
    analysis::OptionText text(name, word.substr(equals + 1), longest_side(scene_));
    analysis::visit(text, options);
    text.require_met();
    if (!given_.insert(name).second)
      throw analysis::OptionError(fmt::format("{} is given twice", analysis::marked(name)));
    if (!text.instead_of().empty()) replaces_.emplace_back(name, text.instead_of());
  }

  const SceneFacts& scene_;
  std::set<std::string> given_;
  std::vector<std::pair<std::string, std::string>> replaces_;
};

analysis::AnyOptions options_of(const Call& call, const analysis::Finder& finder,
                                const SceneFacts& scene) {
  Arguments arguments(call, scene, finder.options());
  for (const std::string& name : analysis::names_of(arguments.options)) {
    if (scene.info || arguments.given().count(name) || !finder.completes_option(name)) continue;
    throw analysis::OptionError(
        fmt::format("what {} should be is not known before the snapshot is read",
                    analysis::marked(name)),
        {}, fmt::format("wait for it, or give {}", analysis::marked(name)));
  }
  if (!scene.info) return arguments.options;
  finder.complete(arguments.options, arguments.given(), *scene.info);
  return arguments.options;
}

void find(const Call& call, State& state, SessionActions& actions) {
  const analysis::Finder& finder = analysis::require_finder(text_at(call, 0));
  const SceneFacts scene = require_scene(call, actions);
  analysis::AnyOptions options;
  try {
    options = options_of(call, finder, scene);
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), "find " + finder.name());
  }
  begin_search(call, finder.name(), options, state, actions);
  // Of a cut they stay: values are the same ones.
  state.finding(finder.name()).births.reset();
  state.finding(finder.name()).deaths.reset();
}

}  // namespace

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
  std::string line = "find " + finder;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    line += " " + as_word(one.name + "=" + one.text());
  return line;
}

Command find_command() {
  Argument keys = text("KEY=VALUE", "");
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
