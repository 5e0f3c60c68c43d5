#pragma once

#include "app/path_file.h"
#include "app/session/state.h"

#include <vector>

namespace haloscope::app::session {

// The keys of a session as a path file, and back: what a file's first key leaves open is as in
// `first`. Throws BadFile for times that do not ascend.
PathFile to_path_file(const std::vector<KeyState>& keys);
std::vector<KeyState> from_path_file(const PathFile& file, const KeyState& first);

}  // namespace haloscope::app::session
