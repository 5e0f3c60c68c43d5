#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"

#include <string>
#include <vector>

namespace haloscope::app::session {

// Files that a session reads, now or when it goes on: all snapshots of the series, the files of the
// one that is open, and catalogs that were loaded, or are compared with. No command replaces one,
// whatever the user says: what was read would be gone.
std::vector<std::string> files_read(const State& state, const SceneFacts& scene);

}  // namespace haloscope::app::session
