#pragma once

#include "analysis/option_parsing/any_options.h"
#include "app/session/command_table.h"

#include <string>

// What is told of a command that a page, a key or the mouse has given: its user has typed no
// command, and knows fields by their titles.
namespace haloscope::app::viewer {

// The title of an option's field; an unknown name stays.
std::string title_of_option(const analysis::AnyOptions& options, const std::string& name);

// A fault of the call, without names of commands and of their arguments.
std::string in_words_of_pages(const session::Call& call, std::string fault);

}  // namespace haloscope::app::viewer
