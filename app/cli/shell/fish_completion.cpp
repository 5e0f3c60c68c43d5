#include "app/cli/shell/shell_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haloscope::app::cli {

namespace {

// In single quotes of fish.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string option_line(const std::string& program, const std::string& condition,
                        const OptionWords& option) {
  std::string line = "complete -c " + program + " -n " + quoted(condition);
  for (const auto& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const auto choices = option.choices();
  if (!choices.empty())
    line += " -x -a " + quoted(fmt::format("{}", fmt::join(choices, " ")));
  else if (!option.value.empty())
    line += option.is_file() ? " -r -F" : " -x";
  return line + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const CommandWords& program) {
  std::string text =
      "# Made by " + program.name + " --generate fish; changes belong into the program.\n";
  const std::string first = "__fish_use_subcommand";
  for (const OptionWords& option : program.options)
    text += option_line(program.name, first, option);
  for (const CommandWords& command : program.commands) {
    text += "complete -c " + program.name + " -n " + first + " -a " + command.name + " -d " +
            quoted(command.help) + "\n";
    for (const OptionWords& option : command.options)
      if (!option.positional)
        text += option_line(program.name, "__fish_seen_subcommand_from " + command.name, option);
  }
  return text;
}

}  // namespace haloscope::app::cli
