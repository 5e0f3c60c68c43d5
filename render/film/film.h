#pragma once

#include "analysis/cancelled_midway.h"
#include "analysis/particle_colors.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "compute/splotch/settings.h"
#include "render/colors/tone_map.h"
#include "render/film/path_file.h"
#include "render/film/snapshot_series.h"
#include "render/scene/render_request.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::render {

// What a finished frame shows.
struct FilmFrame {
  CameraKey key;
  analysis::Epoch epoch;
  const std::vector<int>& types;
  const std::vector<compute::splotch::Appearance>& appearances;  // of each type
  compute::splotch::Ranging map = {};  // of a map: scale and limits as they are drawn
};

// What each of several ranks draws: some of the frames, with all particles, or its part of the
// particles in all frames. Auto: frames, where each rank has room for all particles.
enum class FilmSplit { Auto, Frames, Particles };

// What `haloscope movie` and films of the window draw, as plain data.
struct FilmRequest {
  RenderRequest picture;  // its output is the frames' name or the film's; its camera is unused
  std::vector<std::string> snapshots;  // in the order of time; empty: that of the picture
  InterpolationChoice interpolation = InterpolationChoice::Default;
  std::string path;
  std::optional<PathFile> keys;         // of a session, in place of the file `path`
  std::optional<double> fps;            // default: the path's, else 30
  std::optional<std::size_t> from, to;  // frames; default: all
  std::optional<ToneCurve> tone;        // default: what suits one frame
  // In place of a search, where the picture's particles have the colors of what was found.
  analysis::ParticleColors colors;
  FilmSplit split = FilmSplit::Auto;
  bool redraw = false;     // frames that show something else
  bool overwrite = false;  // these, and files of others
  std::string write_path;  // .toml, or else a Splotch scene
  // Draws over a finished frame (display values), and what it draws in words, so that frames with
  // other overlays are not taken for finished ones.
  std::function<Image8(const Image8&, const FilmFrame&)> overlay;
  std::string overlay_in_words;
};

// How many frames were drawn, and how many were there already.
struct FilmResult {
  std::size_t drawn = 0, kept = 0;
  std::string white = {};  // a sentence where the film grows white, see WhiteFrames
};

// Draws a film along a camera path, of one snapshot or through several. Limits of colors and
// exposure are chosen once, whichever frames are asked for: limits from the latest snapshot that
// has a part in the film, exposure from the first frame of the latest place. Frames that an
// earlier run finished are kept where their embedded scene says that they show the same; others are
// refused unless `overwrite`. Throws Error in the user's words, CancelledMidway.
FilmResult run_movie(const FilmRequest& request, analysis::RunContext& context);

}  // namespace haloscope::render
