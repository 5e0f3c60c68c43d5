#pragma once

#include "app/session/state.h"
#include "render/film/path_file.h"

#include <vector>

namespace haloscope::app::session {

// The keys of a session as a path file, and back: what a file's first key leaves open is as in
// `first`. Throws BadFile for times that do not ascend.
render::PathFile to_path_file(const std::vector<KeyState>& keys);
std::vector<KeyState> from_path_file(const render::PathFile& file, const KeyState& first);

}  // namespace haloscope::app::session
