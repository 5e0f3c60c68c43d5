#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

// The manual page and the shells' completions, made from the commands and options themselves.
namespace haloscope::app::cli {

struct OptionWords {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its one name
  std::string value;               // "WxH"; empty: takes none
  std::string help, group;
  bool positional = false, required = false, repeated = false;

  // "auto", "cpu", "cuda" where the value is one of a few words; else empty.
  std::vector<std::string> choices() const;
  // Whether the value, or one of its forms, is the name of a file.
  bool is_file() const;
};

// The program (its name is "haloscope"), or one of its commands.
struct CommandWords {
  std::string name, help, footer;
  std::vector<OptionWords> options;
  std::vector<CommandWords> commands;
};

// Without what is hidden.
CommandWords command_tree(const CLI::App& app);

}  // namespace haloscope::app::cli
