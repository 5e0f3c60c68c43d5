#include "app/viewer/seen_moment.h"

namespace haloscope::app::viewer {

using session::SceneFacts;
using session::State;

void SeenMoment::preview(const State& state, const SceneFacts& scene, double now) {
  preview_.emplace(state, scene);
  preview_began_ = now;
}

session::Camera SeenMoment::begin_frame(const State& state, const SceneFacts* facts, bool glides,
                                        double now, const std::optional<Vec>& followed) {
  moment_.reset();
  if (preview_ && now - preview_began_ > preview_->end() - preview_->begin()) preview_.reset();
  if (preview_) {
    moment_ = preview_->at(preview_->begin() + now - preview_began_);
    if (followed) moment_->camera.center = *followed;
    return moment_->camera;
  }
  if (!glides) return *state.camera;
  const bool wraps = state.tiling && facts && facts->periodic;
  return glide_.at(*state.camera, now, wraps ? facts->box_size : 0);
}

std::optional<double> SeenMoment::path_seconds() const {
  if (!moment_) return {};
  return moment_->seconds;
}

std::map<int, session::TypeState> SeenMoment::types(const State& state,
                                                    const SceneFacts* facts) const {
  if (!moment_ || !facts) return state.types;
  State shown = state;
  session::show_moment(*moment_, *facts, shown);
  return shown.types;
}

double SeenMoment::exposure_ev(const State& state) const {
  return moment_ ? moment_->exposure_ev : state.tone.exposure_ev;
}

const State& SeenMoment::seen_state(const State& state, const SceneFacts* facts) {
  if (!moment_) return state;
  previewed_ = state;
  previewed_.types = types(state, facts);
  return previewed_;
}

}  // namespace haloscope::app::viewer
