#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace haloscope::app::cli {

// One sentence for what CLI11 found wrong with the command line, with the nearest name where a name
// is unknown, and where help is.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error);

// Throws Error where an option or a file of the chosen command is given as an empty text, which
// names nothing.
void require_values(const CLI::App& app);

}  // namespace haloscope::app::cli
