#pragma once

#include "render/film/path_file.h"

#include <string>

namespace haloscope::render {

// Whether a text is one of Splotch's, a parameter file or a scene, and not TOML.
bool is_splotch_text(const std::string& text);

// The frames of a Splotch scene as keys, one each: camera, lookat, sky, fov or orthographic width,
// and fidx, where the scene has it, as the place of the snapshot (the whole part of the smallest
// fidx is snapshot 0). Rows need camera and lookat. What else a scene may change (brightness,
// limits of Splotch's own scale) has no part in it; a warning tells.
PathFile read_splotch_path(const std::string& path, const std::string& text, double fps);

}  // namespace haloscope::render
