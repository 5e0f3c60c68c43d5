#pragma once

#include "compute/splotch/settings.h"
#include "render/camera.h"
#include "render/film/camera_path.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

inline constexpr double kDefaultFps = 30;

// One [[key]] as it was written: what is missing is as in the key before, in the first key as
// `haloscope render` chooses it.
struct PathKey {
  std::optional<double> time;  // seconds; default: 0, then one more than the key before
  CameraChoice camera;
  std::optional<double> exposure_ev;           // default: that of --exposure
  std::optional<std::array<double, 2>> range;  // in the field's own units; default: --range or the
                                               // snapshot's
  std::optional<double> snapshot;  // place among the film's snapshots, from 0; where no key has
                                   // one, they run evenly from the first key to the last

  bool operator==(const PathKey&) const;
};

// A camera path as plain data.
struct PathFile {
  std::string path;  // for messages
  std::optional<double> fps;
  std::vector<PathKey> keys;
};

// Reads PATH.toml, or a Splotch scene: a parameter file that names one, or the scene file itself,
// of which each row becomes a key at its frame's time (`fps`: of --fps). Throws Error naming file,
// line and what is wrong, and the nearest word that exists.
PathFile read_path(const std::string& path, std::optional<double> fps = {});
PathFile parse_path(const std::string& text, const std::string& path);

// The same as text; reading it again gives the same keys, to the last bit.
std::string path_as_toml(const PathFile& file);
// One row per frame: camera, lookat, sky, fov or projection, fidx. Splotch has no exposure or
// limits per frame of ours: those are left out.
std::string path_as_splotch_scene(const CameraPath& path, double fps);

// What the first key lacks, from the snapshot and the command line.
struct PathDefaults {
  std::function<compute::splotch::View(const CameraChoice&)> view;
  double exposure_ev = 0;
  std::array<double, 2> range{};                    // in transformed units
  std::function<double(double)> transformed_limit;  // field's units → those units
  std::size_t snapshots = 1;                        // of the film
};

// All keys complete, limits in transformed units. Throws what CameraPath throws.
CameraPath complete_path(const PathFile& file, const PathDefaults& defaults);

}  // namespace haloscope::render
