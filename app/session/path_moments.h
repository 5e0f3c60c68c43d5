#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"
#include "render/film/camera_path.h"

#include <optional>
#include <vector>

namespace haloscope::app::session {

// The one type that is drawn, whose color the limits of a path's keys are; nothing where several or
// none are.
std::optional<int> type_of_limits(const State& state, const SceneFacts& scene);

// What a path shows between its keys, as a film along it does.
class PathMoments {
 public:
  // Throws Error where keys cannot make one path: some perspective, some orthographic.
  PathMoments(const State& state, const SceneFacts& scene);

  double begin() const { return path_.begin(); }
  double end() const { return path_.end(); }
  // Before and behind the path, what its first and last key show. No limits where the first key has
  // none: a film then takes those that it chooses itself.
  KeyState at(double seconds) const;

 private:
  std::vector<KeyState> keys_;
  Transform scale_;  // in which limits change evenly
  render::CameraPath path_;
};

// Shows a moment of a path: camera, exposure and limits. The snapshot stays, for another one would
// have to be read.
void show_moment(const KeyState& moment, const SceneFacts& scene, State& state);

}  // namespace haloscope::app::session
