#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"

#include <optional>
#include <string>
#include <vector>

// What could follow in a line of which the beginning is typed.
namespace haloscope::app::session {

struct Completion {
  std::string text;  // the whole line
  std::string word;  // its last word, without quotes
  std::string help;
  bool begins = true;  // the word begins with what is typed; else it holds it
  bool more = false;   // once it is chosen, a blank and another word may follow
};

// Best first. `files`: those that fit the path which is being typed (path_in()), folders with / at
// their end. Knows nothing of values behind KEY=.
std::vector<Completion> complete(const std::string& typed, const SceneFacts& scene,
                                 const State& state = {},
                                 const std::vector<std::string>& files = {});

// The path that is being typed; nothing: the last word of the line is none.
std::optional<std::string> path_in(const std::string& typed);

// How the command of the line is used, and what it does; empty: its name is not complete.
std::string usage_in(const std::string& typed);

}  // namespace haloscope::app::session
