#pragma once

#include "core/version.h"

#include <string>
#include <vector>

namespace haloscope::app::cli {

// Runs the program: `arguments` without the program's name. Returns the exit code: 0; 2 for a fault
// of the user's world, told in one line on standard error; 1 where a check of `selftest` fails; 130
// when interrupted.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace haloscope::app::cli
