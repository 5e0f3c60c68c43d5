#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"

#include <string>
#include <vector>

namespace haloscope::app::session {

// Files that a session reads, now or when it goes on: all snapshots of the series with all their
// files and what is kept beside them, catalogs that were loaded, are compared with, or have the
// structure of the profile, and the session's own recording. No command replaces one, whatever the
// user says: what was read would be gone.
std::vector<std::string> files_read(const State& state, const SceneFacts& scene);

}  // namespace haloscope::app::session
