#include "app/cli/shell/command_tree.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace haloscope::app::cli {

namespace {

std::vector<std::string> split_at_bars(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == '|')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool is_plain_word(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

OptionWords option_words(const CLI::Option& option) {
  OptionWords words;
  words.positional = option.get_positional();
  if (words.positional) words.names.push_back(option.get_single_name());
  for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.positional) words.names.resize(1);
  if (option.get_items_expected_max() > 0) {
    words.value = option.get_type_name();
    // What CLI11 calls what is text: all such values of ours are files, or said to be names.
    if (words.value.empty() || words.value == "TEXT") words.value = "FILE";
    words.repeated = option.get_items_expected_max() > 1;
  }
  words.help = option.get_description();
  words.group = option.get_group();
  words.required = option.get_required();
  return words;
}

}  // namespace

std::vector<std::string> OptionWords::choices() const {
  auto parts = split_at_bars(value);
  // "cuda:N" beside "cuda" is that word with something of the user's behind it: nothing to offer.
  const auto words = parts;
  std::erase_if(parts, [&words](const std::string& part) {
    const auto colon = part.find(':');
    return colon != std::string::npos &&
           std::find(words.begin(), words.end(), part.substr(0, colon)) != words.end();
  });
  if (parts.size() < 2 || !std::all_of(parts.begin(), parts.end(), is_plain_word)) return {};
  return parts;
}

bool OptionWords::is_file() const {
  return value == "PATH" || value.find("FILE") != std::string::npos ||
         value.find("OTHER") != std::string::npos || value.find("OUT.") != std::string::npos;
}

CommandWords command_tree(const CLI::App& app) {
  CommandWords command{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  std::vector<std::string> groups;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
      groups.push_back(group);
  }
  // As --help shows them: group by group.
  for (const auto& group : groups)
    for (const CLI::Option* option : app.get_options())
      if (option->get_group() == group) command.options.push_back(option_words(*option));
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    if (!sub->get_group().empty()) command.commands.push_back(command_tree(*sub));
  return command;
}

}  // namespace haloscope::app::cli
