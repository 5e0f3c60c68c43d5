#include "app/session/shown_look.h"

#include <algorithm>

namespace haloscope::app::session {

std::set<int> types_in(const ShownLook& look, const std::vector<int>& types,
                       const std::set<int>& hidden_at_first) {
  std::set<int> shown;
  for (const int type : types) {
    const bool asked =
        look.all || std::find(look.types.begin(), look.types.end(), type) != look.types.end();
    if (asked && !hidden_at_first.contains(type)) shown.insert(type);
  }
  return shown;
}

std::set<int> types_shown(const State& state, const std::vector<int>& types,
                          const std::set<int>& hidden_at_first) {
  std::set<int> shown;
  for (const int type : types)
    if (render::is_shown(state.type(type), !hidden_at_first.contains(type))) shown.insert(type);
  return shown;
}

void show_alone(State& state, const std::set<int>& shown, const std::vector<int>& types,
                const std::set<int>& hidden_at_first) {
  for (const int type : types) {
    TypeState said = state.type(type);
    said.shown.reset();
    // What is as at first is not said, so that it holds in other snapshots too.
    if (shown.contains(type) == hidden_at_first.contains(type)) said.shown = shown.contains(type);
    if (said == TypeState{})
      state.types.erase(type);
    else
      state.types[type] = said;
  }
}

}  // namespace haloscope::app::session
