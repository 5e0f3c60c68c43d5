#include "app/cli/shell/shell_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haloscope::app::cli {

namespace {

std::vector<std::string> option_names(const CommandWords& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// Patterns of `case` for an option's names after the command's: "render -o"|"render --output".
std::string bash_pattern(const std::string& command, const OptionWords& option) {
  std::vector<std::string> patterns;
  for (const auto& name : option.names) patterns.push_back("\"" + command + " " + name + "\"");
  return fmt::format("{}", fmt::join(patterns, "|"));
}

// Within single quotes of zsh, in a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string zsh_action(const OptionWords& option) {
  const auto choices = option.choices();
  if (!choices.empty()) return fmt::format("({})", fmt::join(choices, " "));
  return option.is_file() ? "_files" : " ";
}

std::string zsh_arguments(const CommandWords& command) {
  std::string text;
  for (const OptionWords& option : command.options) {
    if (option.positional) {
      text += fmt::format(" \\\n        '{}:{}:_files'", option.repeated ? "*" : "",
                          zsh_text(option.names.front()));
      continue;
    }
    for (const auto& name : option.names) {
      text += fmt::format(" \\\n        '{}[{}]", name, zsh_text(option.help));
      if (!option.value.empty()) text += ":" + zsh_text(option.value) + ":" + zsh_action(option);
      text += "'";
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandWords& program) {
  std::vector<std::string> commands;
  for (const CommandWords& command : program.commands) commands.push_back(command.name);
  std::string values, options;
  for (const CommandWords& command : program.commands) {
    options += fmt::format("    {}) words=\"{}\" ;;\n", command.name,
                           fmt::join(option_names(command), " "));
    for (const OptionWords& option : command.options) {
      if (option.positional || option.value.empty() || option.is_file()) continue;
      values += fmt::format("    {}) words=\"{}\" value=yes ;;\n",
                            bash_pattern(command.name, option), fmt::join(option.choices(), " "));
    }
  }
  return fmt::format(
      R"bash(# bash completion of {0}. Made by {0} --generate bash; changes belong into the program.
_{0}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  local command="" words="" value=""
  COMPREPLY=()
  if ((COMP_CWORD > 1)); then command="${{COMP_WORDS[1]}}"; fi
  # After an option that takes a value: its words, or nothing where it is the user's own.
  case "$command $previous" in
{1}  esac
  if [[ -z "$value" && ("$current" == -* || $COMP_CWORD -eq 1) ]]; then
    case "$command" in
{2}    *) words="{3} {4}" ;;
    esac
  fi
  if [[ -n "$words" ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
  if [[ -z "$value" && "$current" != -* ]]; then
    compopt -o filenames
    local file
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  fi
}}
complete -F _{0} {0}
)bash",
      program.name, values, options, fmt::join(commands, " "),
      fmt::join(option_names(program), " "));
}

std::string zsh_completion(const CommandWords& program) {
  std::string commands, arguments;
  for (const CommandWords& command : program.commands) {
    commands += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.help));
    arguments += fmt::format("        {})\n          _arguments{} ;;\n", command.name,
                             zsh_arguments(command));
  }
  return fmt::format(
      R"zsh(#compdef {0}
# Made by {0} --generate zsh; changes belong into the program.
_{0}() {{
  local state line
  _arguments -C{1} \
        '1: :->command' '*:: :->arguments'
  case $state in
    command)
      local -a commands=(
{2}      )
      _describe command commands
      _files ;;
    arguments)
      case $line[1] in
{3}        *) _files ;;
      esac ;;
  esac
}}
_{0} "$@"
)zsh",
      program.name, zsh_arguments(program), commands, arguments);
}

}  // namespace haloscope::app::cli
