#pragma once

#include "app/cli/shell/command_tree.h"

#include <string>

namespace haloscope::app::cli {

// haloscope(1) in roff.
std::string man_page(const CommandWords& program);
std::string bash_completion(const CommandWords& program);
std::string zsh_completion(const CommandWords& program);
std::string fish_completion(const CommandWords& program);

// One of these by its name: "man", "bash", "zsh", "fish". Throws Error for any other.
std::string shell_file(const std::string& kind, const CommandWords& program);

}  // namespace haloscope::app::cli
