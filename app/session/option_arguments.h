#pragma once

#include "analysis/option_parsing/any_options.h"

#include <set>
#include <string>
#include <vector>

namespace haloscope::app::session {

// Options as a command's words KEY=VALUE say them.
struct OptionArguments {
  analysis::AnyOptions options;
  std::set<std::string> given;  // names
};

// `whole`: what lengths in percent are parts of. Empty words are passed over. Throws OptionError
// for what is no option, no possible value of it, or said twice.
OptionArguments read_option_arguments(const std::vector<std::string>& words,
                                      const analysis::AnyOptions& defaults, double whole);

// " KEY=VALUE …" for a line that says every option that has a value. `but_standard`: without those
// that are as they are where nobody says them.
std::string words_of_options(const analysis::AnyOptions& options, bool but_standard = false);

}  // namespace haloscope::app::session
