#include "app/session/find_command.h"

#include "analysis/halos/halo_types.h"
#include "analysis/options/option_error.h"
#include "analysis/options/option_names.h"
#include "analysis/options/option_text.h"
#include "analysis/options/option_values.h"
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
  Arguments(const Call& call, const SceneFacts& scene) : scene_(scene) {
    for (std::size_t k = 1; k < call.values.size(); ++k)
      if (!text_at(call, k).empty()) read(text_at(call, k));
    for (const auto& [name, other] : replaces_)
      if (given_.count(other))
        throw analysis::OptionError(fmt::format("{} and {} say the same in two ways",
                                                analysis::marked(other), analysis::marked(name)),
                                    {}, "give one of them");
  }

  bool gives(const std::string& name) const { return given_.count(name) > 0; }
  analysis::HaloOptions options;

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

analysis::HaloOptions options_of(const Call& call, const SceneFacts& scene) {
  Arguments arguments(call, scene);
  if (arguments.gives("attach")) return arguments.options;
  if (!scene.info)
    throw analysis::OptionError("what can be attached is not known before the snapshot is read", {},
                                "wait for it, or give `attach`");
  arguments.options.attach = analysis::attached_in_window(*scene.info, arguments.options.types);
  return arguments.options;
}

void find(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  analysis::HaloOptions options;
  try {
    options = options_of(call, scene);
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), "find halos");
  }
  require_search(call, options, scene);
  static_cast<analysis::HaloOptions&>(state.halos) = options;
  state.halos.searched = true;
  state.halos.selected.reset();
  actions.find_halos(state);
}

}  // namespace

void require_search(const Call& call, const analysis::HaloOptions& options, const SceneFacts& scene,
                    const std::map<std::string, std::string>& words) {
  try {
    analysis::check_options(options);
    if (scene.info) analysis::check_snapshot(*scene.info, options);
  } catch (const analysis::OptionError& error) {
    const auto word_of = [&](const std::string& name) {
      const auto word = words.find(name);
      return word == words.end() ? name : word->second;
    };
    const std::string name = call.command->name == "find" ? "find halos" : call.command->name;
    throw Error(analysis::spelled(error.what(), word_of), name);
  }
}

std::string find_line(const analysis::HaloOptions& options) {
  std::string line = "find halos";
  for (const analysis::OptionValue& one : analysis::values_of(options))
    line += " " + as_word(one.name + "=" + one.text());
  return line;
}

Command find_command() {
  Argument keys = text("KEY=VALUE", "");
  keys.many = true;
  for (const std::string& name : analysis::names_of<analysis::HaloOptions>())
    keys.choices.push_back(name + "=");
  Command command;
  command.name = "find";
  command.group = "Halos";
  command.help =
      "Search with the command line's options, as min_members=32; gas and stars are attached";
  command.arguments = {choice("WHAT", {"halos"}), keys};
  command.run = find;
  command.recorded = [](const Call&, const State& state) { return find_line(state.halos); };
  return command;
}

}  // namespace haloscope::app::session
