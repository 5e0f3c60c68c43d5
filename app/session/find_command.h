#pragma once

#include "analysis/halos/halo_options.h"
#include "app/session/command_table.h"

#include <map>
#include <string>

namespace haloscope::app::session {

// `find halos [KEY=VALUE …]`
Command find_command();

// The line that finds the same halos, with every option written out.
std::string find_line(const analysis::HaloOptions& options);

// Throws Error in the command's words where no search can be asked for this, or none of the
// snapshot that is open. `words`: what the command calls its options, where not by their names.
void require_search(const Call& call, const analysis::HaloOptions& options, const SceneFacts& scene,
                    const std::map<std::string, std::string>& words = {});

}  // namespace haloscope::app::session
