#pragma once

#include "app/session/state_file.h"

#include <string>

// Files that a state names. Their names lead from the working folder; a state is often opened from
// another place than it was saved in.
namespace haloscope::app::session {

// Where a snapshot's name leads nowhere and all lead from the state's own folder, or from one above
// it, these are meant, and a warning says so.
void find_snapshots(ReadState& read, const std::string& path);

// So with each palette file by itself.
void find_palettes(ReadState& read, const std::string& path);

}  // namespace haloscope::app::session
