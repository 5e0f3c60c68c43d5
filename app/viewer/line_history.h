#pragma once

#include <string>
#include <vector>

// Lines that were entered in the line for commands, from one start of the window to the next, in
// $XDG_CONFIG_HOME/haloscope/commands.txt (default ~/.config), the last one at the end.
namespace haloscope::app::viewer {

// A line that repeats the last one is not kept twice. Returns whether it is a new one.
bool add_to_history(const std::string& line, std::vector<std::string>& history);

// Empty where there is no such file or it cannot be read.
std::vector<std::string> load_history();
// Adds the line to the file, to which other windows may have added theirs. Nothing happens where it
// cannot be written.
void keep_in_history(const std::string& line);
void forget_history();

}  // namespace haloscope::app::viewer
