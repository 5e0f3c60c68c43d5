#pragma once

#include "app/session/state.h"

#include <string>
#include <vector>

namespace haloscope::app::session {

// A state read from text, and sentences on what was passed over in it: unknown keys, each with its
// line and the nearest known name.
struct ReadState {
  State state;
  std::vector<std::string> warnings;
};

// The whole state as TOML, in a fixed order, numbers as short as they come back the same.
std::string state_text(const State& state);
// Throws BadFile (one sentence with `where` and the line) for text that is damaged, of a newer
// version, or no state; nothing is half-read.
ReadState parse_state(const std::string& text, const std::string& where);

void save_state(const State& state, const std::string& path);  // whole or not at all
ReadState load_state(const std::string& path);
// Whether load_state() takes the file; never throws.
bool is_state_file(const std::string& path);

// The view (camera, looks, tone) as short text for the clipboard, and the state with such a view
// put in. Throws Error in one sentence where the text holds something else.
std::string view_text(const State& state);
State with_view(const State& state, const std::string& text);

}  // namespace haloscope::app::session
