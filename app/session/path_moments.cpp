#include "app/session/path_moments.h"

#include "app/session/path_exchange.h"
#include "render/scene/type_choice.h"

#include <algorithm>

namespace haloscope::app::session {

namespace {

Transform scale_of_limits(const State& state, const SceneFacts& scene) {
  const auto type = type_of_limits(state, scene);
  if (!type) return Transform::Linear;
  // Limits that a logarithm has not change evenly as they are.
  const bool positive = std::all_of(state.path.begin(), state.path.end(), [](const KeyState& key) {
    return !key.limits || (*key.limits)[0] > 0;
  });
  const auto found = scene.scales.find(*type);
  const Transform usual = found == scene.scales.end() ? Transform::Linear : found->second;
  const Transform scale = state.type(*type).scale.value_or(usual);
  return scale == Transform::Log && !positive ? Transform::Linear : scale;
}

render::CameraPath path_of(const std::vector<KeyState>& keys, Transform scale) {
  render::PathDefaults defaults;
  defaults.view = [](const render::CameraChoice& choice) {
    return render::choose_view({}, choice, 1, 1);
  };
  defaults.transformed_limit = [scale](double limit) { return render::transformed(scale, limit); };
  return render::complete_path(to_path_file(keys), defaults);
}

}  // namespace

std::optional<int> type_of_limits(const State& state, const SceneFacts& scene) {
  if (state.map.shown) return {};  // a map keeps its own limits
  std::optional<int> only;
  for (const int type : scene.types) {
    if (!render::is_shown(state.type(type), !scene.hidden_at_first.contains(type))) continue;
    if (only) return {};
    only = type;
  }
  return only;
}

PathMoments::PathMoments(const State& state, const SceneFacts& scene)
    : keys_(state.path), scale_(scale_of_limits(state, scene)), path_(path_of(keys_, scale_)) {}

KeyState PathMoments::at(double seconds) const {
  for (const KeyState& key : keys_)
    if (key.seconds == seconds) return key;
  const render::CameraKey shown = path_.at(seconds);
  KeyState moment;
  moment.seconds = shown.time;
  moment.camera = from_view(render::view_of(shown, 1, 1));
  moment.exposure_ev = shown.exposure_ev;
  moment.snapshot = shown.snapshot;
  if (keys_.front().limits)
    moment.limits = Limits{render::in_field_units(scale_, shown.range[0]),
                           render::in_field_units(scale_, shown.range[1])};
  return moment;
}

void show_moment(const KeyState& moment, const SceneFacts& scene, State& state) {
  state.camera = moment.camera;
  state.tone.exposure_ev = moment.exposure_ev;
  if (!moment.limits) return;
  if (const auto type = type_of_limits(state, scene)) state.types[*type].limits = moment.limits;
}

}  // namespace haloscope::app::session
