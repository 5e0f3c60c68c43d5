#include "app/session/camera_motion.h"
#include "app/session/rotation.h"
#include "app/session/state.h"

#include <algorithm>
#include <string>

namespace haloscope::app::session {

namespace {

// What all shown types have in common; else what a new type has.
template <class T>
T common(const State& state, const std::vector<int>& shown, T TypeState::*member) {
  if (shown.empty()) return TypeState{}.*member;
  const T first = state.type(shown.front()).*member;
  for (const int type : shown)
    if (!(state.type(type).*member == first)) return TypeState{}.*member;
  return first;
}

}  // namespace

RenderRequest to_render_request(const State& state, const std::vector<int>& types) {
  RenderRequest request;
  request.snapshot = state.snapshot();
  request.size = PixelSize{state.width, state.height};
  std::vector<int> shown;
  for (const int type : types)
    if (state.type(type).shown) shown.push_back(type);
  for (const int type : shown) {
    request.types.push_back(std::to_string(type));
    request.brightness.push_back(state.type(type).brightness);
  }
  // None: the program's own choice, for which one value would mean an exposure.
  if (std::all_of(request.brightness.begin(), request.brightness.end(),
                  [](double b) { return b == 1; }))
    request.brightness.clear();
  if (const auto field = common(state, shown, &TypeState::field); !field.empty()) {
    const auto scale = common(state, shown, &TypeState::scale);
    request.color = FieldChoice{field, scale.value_or(Transform::Linear), scale.has_value()};
  }
  request.range = common(state, shown, &TypeState::limits);
  request.palette = common(state, shown, &TypeState::color_map);
  request.smooth = common(state, shown, &TypeState::smoothing);
  request.exposure_ev = state.tone.exposure_ev;
  if (state.camera) {
    const Camera& camera = *state.camera;
    request.camera.eye = eye_of(camera);
    request.camera.target = camera.center;
    request.camera.up = up_of(camera);
    if (camera.perspective)
      request.camera.fov_degrees = camera.fov_degrees;
    else
      request.camera.ortho_width = camera.ortho_width;
  }
  return request;
}

State from_render_request(const RenderRequest& request, const std::vector<int>& types,
                          const render::Bounds& bounds) {
  State state;
  if (!request.snapshot.empty()) state.snapshots = {request.snapshot};
  if (request.size) {
    state.width = request.size->width;
    state.height = request.size->height;
  }
  for (const int number : types) {
    const auto word = std::find(request.types.begin(), request.types.end(), std::to_string(number));
    TypeState type;
    type.shown = request.types.empty() || word != request.types.end();
    if (request.brightness.size() == 1) type.brightness = request.brightness.front();
    const auto place = std::size_t(word - request.types.begin());
    if (request.brightness.size() > 1 && place < request.brightness.size())
      type.brightness = request.brightness[place];
    type.smoothing = request.smooth;
    type.color_map = request.palette;
    type.limits = request.range;
    if (request.color) {
      type.field = request.color->field;
      if (request.color->transform_given) type.scale = request.color->transform;
    }
    if (!(type == TypeState{})) state.types[number] = type;
  }
  state.tone.exposure_ev = request.exposure_ev;
  if (request.camera.any())
    state.camera =
        from_view(render::choose_view(bounds, request.camera, state.width, state.height));
  return state;
}

}  // namespace haloscope::app::session
