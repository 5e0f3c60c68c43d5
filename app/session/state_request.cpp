#include "app/session/state.h"

namespace haloscope::app::session {

RenderRequest to_render_request(const State& state) {
  RenderRequest request;
  request.snapshot = state.snapshot();
  request.size = PixelSize{state.width, state.height};
  request.choices = state.types;
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

}  // namespace haloscope::app::session
