#include "app/session/command_table.h"
#include "app/session/command_text.h"
#include "app/session/toml_writer.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

// What is shown of the table: completions, the key sheet, docs/commands.md.
namespace haloscope::app::session {

namespace {

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// That an argument among those that are typed names; null: none does.
const analysis::Finder* finder_in(const Command& command, const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < command.arguments.size() && k + 1 < words.size(); ++k)
    if (command.arguments[k].kind == ArgumentKind::Finder)
      return analysis::finder_named(words[k + 1]);
  return nullptr;
}

std::vector<std::string> option_words(const analysis::Finder& finder) {
  std::vector<std::string> words;
  for (const auto& name : analysis::names_of(finder.options())) words.push_back(name + "=");
  return words;
}

// Of the snapshot; where the command names a finder before it, of what that has found.
std::vector<std::string> field_words(const Command& command, const analysis::Finder* finder,
                                     const SceneFacts& scene) {
  std::set<std::string> fields;
  if (command.arguments.front().kind == ArgumentKind::Finder) {
    if (const auto found = scene.finding_fields.find(finder ? finder->name() : "");
        found != scene.finding_fields.end())
      for (const auto& [field, scale] : found->second) fields.insert(field);
  } else {
    for (const auto& [type, names] : scene.fields) fields.insert(names.begin(), names.end());
  }
  return {fields.begin(), fields.end()};
}

std::vector<std::string> candidates(const Command& command, const Argument& argument,
                                    const std::vector<std::string>& words,
                                    const SceneFacts& scene) {
  if (argument.kind == ArgumentKind::Finder) return offered_finders(argument);
  if (!argument.choices.empty()) return argument.choices;
  if (argument.kind == ArgumentKind::OnOff) return switch_words();
  if (argument.kind == ArgumentKind::Type) return type_words();
  if (argument.kind == ArgumentKind::Colored) return colored_words();
  const analysis::Finder* const finder = finder_in(command, words);
  if (argument.name == "KEY=VALUE" && finder) return option_words(*finder);
  if (argument.name == "FIELD") return field_words(command, finder, scene);
  if (argument.name == "PLOT") return scene.plots;
  return {};
}

// 0: begins so; 1: a later word of the name begins so; 2: holds it; 3: no match.
int rank(const std::string& name, const std::string& typed) {
  const auto at = lower_case(name).find(lower_case(typed));
  if (at == std::string::npos) return 3;
  if (at == 0) return 0;
  return name[at - 1] == '_' ? 1 : 2;
}

std::vector<Completion> ranked(const std::vector<Completion>& all, const std::string& head,
                               const std::string& typed) {
  std::vector<Completion> found;
  for (const int wanted : {0, 1, 2})
    for (const auto& one : all)
      if (rank(one.text, typed) == wanted) found.push_back({head + one.text, one.help});
  return found;
}

}  // namespace

std::vector<Completion> complete(const std::string& typed, const SceneFacts& scene) {
  const auto blank = typed.find_last_of(' ');
  std::vector<Completion> all;
  if (blank == std::string::npos) {
    for (const auto& command : command_table()) all.push_back({command.name, command.help});
    return ranked(all, "", typed);
  }
  const std::string head = typed.substr(0, blank + 1);
  const auto words = static_cast<std::size_t>(
      std::count(head.begin(), head.end(), ' '));  // the command and what follows it
  const Command* command = find_command(head.substr(0, head.find(' ')));
  if (!command || command->arguments.empty()) return {};
  const Argument& argument = command->arguments[std::min(words - 1, command->arguments.size() - 1)];
  for (const auto& word : candidates(*command, argument, words_in(head), scene))
    all.push_back({word, usage(*command)});
  return ranked(all, head, typed.substr(blank + 1));
}

std::vector<KeySheetRow> key_sheet() {
  std::vector<KeySheetRow> rows;
  for (const auto& command : command_table())
    for (const auto& binding : command.bindings) {
      std::string line = command.name;
      if (!binding.arguments.empty()) line += " " + binding.arguments;
      rows.push_back(
          {command.group, binding.key, line, binding.help.empty() ? command.help : binding.help});
    }
  return rows;
}

std::string command_reference() {
  std::string text = "| Command | Keys | |\n|---|---|---|\n";
  for (const auto& command : command_table()) {
    std::string keys, line = usage(command);
    for (const auto& binding : command.bindings)
      keys += (keys.empty() ? "" : ", ") + (binding.key == "`" ? "backtick" : binding.key);
    for (std::size_t at = 0; (at = line.find('|', at)) != std::string::npos; at += 2)
      line.insert(at, "\\");
    text += fmt::format("| `{}` | {} | {} |\n", line, keys, command.help);
  }
  return text;
}

}  // namespace haloscope::app::session
