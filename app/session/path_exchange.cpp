#include "app/session/path_exchange.h"

#include "app/session/camera_motion.h"
#include "core/error.h"

#include <algorithm>

namespace haloscope::app::session {

namespace {

// The camera before with what a key says in it.
Camera changed(const Camera& before, const render::CameraChoice& said) {
  if (!said.any()) return before;
  auto view = to_view(before, 1, 1);
  if (said.eye) view.eye = *said.eye;
  if (said.target) view.target = *said.target;
  if (said.up) view.up = *said.up;
  if (said.fov_degrees) view.fov_degrees = *said.fov_degrees;
  if (said.ortho_width) view.ortho_width = *said.ortho_width;
  if (said.fov_degrees || said.ortho_width) view.perspective = !said.ortho_width;
  return from_view(view);
}

}  // namespace

render::PathFile to_path_file(const std::vector<KeyState>& keys) {
  render::PathFile file;
  // A path that stays on the first snapshot says nothing of a series, which then runs evenly.
  const bool series =
      std::any_of(keys.begin(), keys.end(), [](const KeyState& key) { return key.snapshot != 0; });
  for (const KeyState& key : keys) {
    render::PathKey row;
    row.time = key.seconds;
    row.camera.eye = eye_of(key.camera);
    row.camera.target = key.camera.center;
    row.camera.up = up_of(key.camera);
    if (key.camera.perspective)
      row.camera.fov_degrees = key.camera.fov_degrees;
    else
      row.camera.ortho_width = key.camera.ortho_width;
    row.exposure_ev = key.exposure_ev;
    row.range = key.limits;
    if (series) row.snapshot = key.snapshot;
    file.keys.push_back(row);
  }
  return file;
}

std::vector<KeyState> from_path_file(const render::PathFile& file, const KeyState& first) {
  std::vector<KeyState> keys;
  KeyState key = first;
  for (const render::PathKey& row : file.keys) {
    key.seconds = row.time.value_or(keys.empty() ? 0 : key.seconds + 1);
    key.camera = changed(key.camera, row.camera);
    key.exposure_ev = row.exposure_ev.value_or(key.exposure_ev);
    if (row.range) key.limits = row.range;
    key.snapshot = row.snapshot.value_or(key.snapshot);
    if (!keys.empty() && !(key.seconds > keys.back().seconds))
      throw BadFile("the times of its keys do not ascend", file.path);
    keys.push_back(key);
  }
  return keys;
}

}  // namespace haloscope::app::session
