#pragma once

#include "core/snapshot_info.h"
#include "render/files/image_file.h"
#include "render/film/film_output.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace haloscope::render {

// Whether frame n lies there already and shows what `text` says, so that it need not be drawn.
// Throws Error where a file of that name shows something else, naming the first difference, or is
// of a format that does not tell (.exr, .ppm, .tga).
bool is_finished_frame(const FilmName& name, std::size_t n, const ImageText& text);

// Size and time of change of each file, which tell a snapshot that was replaced.
nlohmann::json fingerprint(const SnapshotInfo& info);

// "4 s", "3 min", "2 h 10 min".
std::string duration_in_words(double seconds);

}  // namespace haloscope::render
