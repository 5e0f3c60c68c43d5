#pragma once

#include "app/session/camera_motion.h"
#include "app/session/path_moments.h"
#include "app/session/session_actions.h"
#include "app/session/state.h"

#include <map>
#include <optional>

namespace haloscope::app::viewer {

// What is seen in this frame where it is not what the state says: while the camera glides to where
// the state has it, and while a path is previewed. Times are in seconds.
class SeenMoment {
 public:
  void glide_from(const session::Camera& from, double now) { glide_.start(from, now); }
  bool gliding(double now) const { return glide_.running(now); }

  // Shows the path of a state from now on. Throws Error where it is none.
  void preview(const session::State& state, const session::SceneFacts& scene, double now);
  bool previewing() const { return preview_.has_value(); }
  void end_preview() { preview_.reset(); }

  // The camera of the frame that begins: call first. `glides`: a glide is to be seen. `facts` may
  // be null here and below: nothing is open. `followed`: the middle of a set, with which the camera
  // of a preview goes along as that of a film does.
  session::Camera begin_frame(const session::State& state, const session::SceneFacts* facts,
                              bool glides, double now, const std::optional<Vec>& followed = {});
  // The time of the path that the frame shows; nothing: no preview.
  std::optional<double> path_seconds() const;
  // Of the same: how long the path is, and what it shows.
  double path_begin() const { return preview_ ? preview_->begin() : 0; }
  double path_end() const { return preview_ ? preview_->end() : 0; }
  const std::optional<session::KeyState>& moment() const { return moment_; }
  std::map<int, session::TypeState> types(const session::State& state,
                                          const session::SceneFacts* facts) const;
  double exposure_ev(const session::State& state) const;
  // The state with the types that are seen; valid until the next call, and as long as `state`.
  const session::State& seen_state(const session::State& state, const session::SceneFacts* facts);

 private:
  session::Glide glide_;
  std::optional<session::PathMoments> preview_;
  double preview_began_ = 0;
  std::optional<session::KeyState> moment_;  // of the path, in this frame
  session::State previewed_;
};

}  // namespace haloscope::app::viewer
