#include "app/session/command_table.h"

#include <fmt/format.h>

// What is shown of the table: the key sheet, docs/commands.md.
namespace haloscope::app::session {

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
