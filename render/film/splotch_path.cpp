#include "render/film/splotch_path.h"

#include "core/error.h"
#include "core/log.h"
#include "io/splotch/splotch_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

namespace haloscope::render {

namespace {

using io::SplotchParameters;

// The first line that says something; empty where there is none.
std::string first_line(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") != std::string::npos) return line;
  }
  return {};
}

// What Splotch requires of a parameter file, where a film needs only the scene.
SplotchParameters parameters_for_scene(const std::string& path) {
  SplotchParameters p;
  p.file = path;
  for (const auto& [key, value] : {std::pair{"simtype", "8"},
                                   {"infile", "unused"},
                                   {"outfile", "unused"},
                                   {"palette0", "unused"}})
    io::apply_splotch_parameter(p, key, value, path);
  p.scene_file = path;
  return p;
}

// Tangent of half the field of view times the distance is half the width at the target.
double orthographic_width(const SplotchParameters& p) {
  const double distance =
      std::hypot(p.camera[0] - p.lookat[0], p.camera[1] - p.lookat[1], p.camera[2] - p.lookat[2]);
  return 2 * distance * std::tan(0.5 * p.fov * std::numbers::pi / 180);
}

PathKey key_of(const SplotchParameters& p, double time) {
  PathKey key;
  key.time = time;
  key.camera.eye = p.camera;
  key.camera.target = p.lookat;
  key.camera.up = p.sky;
  if (p.projection)
    key.camera.fov_degrees = p.fov;
  else
    key.camera.ortho_width = orthographic_width(p);
  if (p.has("fidx")) key.snapshot = p.fidx / p.snapshot_spacing;
  return key;
}

// A film's camera looks along its own axis and has no off-axis picture.
void refuse_stereo(const io::SplotchFrame& frame, const std::string& path) {
  const SplotchParameters& p = frame.parameters;
  if (p.center && *p.center != p.camera)
    throw Error(fmt::format("frame {} is one eye's of a stereo pair (center_x, center_y, "
                            "center_z), which a film cannot show",
                            frame.number),
                path, "draw it with haloscope splotch, or remove the three keys");
}

void tell_left_out(const SplotchParameters& p, const std::string& path) {
  for (const std::string& key : p.given)
    if (key.starts_with("brightness") || key.starts_with("color_m") ||
        key.starts_with("intensity_m") || key.starts_with("smooth_factor")) {
      log::warn("a Splotch scene gives a film its camera and snapshots: its " + key +
                    " has no effect (use render's options)",
                path);
      return;
    }
}

}  // namespace

bool is_splotch_text(const std::string& text) {
  return text.find("[[key") == std::string::npos && !first_line(text).empty() &&
         first_line(text).find('[') == std::string::npos;
}

PathFile read_splotch_path(const std::string& path, const std::string& text, double fps) {
  const bool parameter_file = first_line(text).find('=') != std::string::npos;
  const SplotchParameters parameters =
      parameter_file ? io::read_splotch_parameters(path) : parameters_for_scene(path);
  const auto frames = io::read_splotch_frames(parameters);
  PathFile file;
  file.path = path;
  file.fps = fps;
  double first = frames.front().parameters.fidx / frames.front().parameters.snapshot_spacing;
  for (const auto& frame : frames) {
    refuse_stereo(frame, path);
    file.keys.push_back(key_of(frame.parameters, double(file.keys.size()) / fps));
    if (file.keys.back().snapshot) first = std::min(first, *file.keys.back().snapshot);
  }
  for (PathKey& key : file.keys)
    if (key.snapshot) *key.snapshot -= std::floor(first);
  tell_left_out(frames.front().parameters, path);
  return file;
}

std::string path_as_splotch_scene(const CameraPath& path, double fps) {
  const bool perspective = !(path.keys().front().ortho_width > 0);
  std::string text =
      "camera_x camera_y camera_z lookat_x lookat_y lookat_z sky_x sky_y sky_z fov projection "
      "fidx\n";
  for (std::size_t n = 0; n < path.frame_count(fps); ++n) {
    const CameraKey key = path.frame(n, fps);
    double fov = key.fov_degrees;
    if (!perspective) {
      const double distance = std::hypot(key.eye[0] - key.target[0], key.eye[1] - key.target[1],
                                         key.eye[2] - key.target[2]);
      fov = 2 * std::atan(0.5 * key.ortho_width / distance) * 180 / std::numbers::pi;
    }
    for (const auto& v : {key.eye, key.target, key.up})
      for (double x : v) text += fmt::format("{} ", x);
    text += fmt::format("{} {} {}\n", fov, perspective ? "T" : "F", key.snapshot);
  }
  return text;
}

}  // namespace haloscope::render
