#include "app/session/state.h"

namespace haloscope::app::session {

const std::string& State::snapshot() const {
  static const std::string none;
  return current < snapshots.size() ? snapshots[current] : none;
}

TypeState State::type(int number) const {
  const auto found = types.find(number);
  return found == types.end() ? TypeState{} : found->second;
}

}  // namespace haloscope::app::session
