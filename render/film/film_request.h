#pragma once

#include "analysis/run_context.h"
#include "render/film/camera_path.h"
#include "render/film/film.h"

#include <cstddef>
#include <string>

// What of a request a film can show, known before a snapshot is opened.
namespace haloscope::render {

// The request with what may be left out of it. Throws Error where it has no camera path.
FilmRequest whole_request(FilmRequest request);

// Leaves out what is of one snapshot alone, where the film shows several, and says so.
void drop_of_one_snapshot(FilmRequest& request, const analysis::RunContext& context);

// Throws Error for sets that cannot be followed through several snapshots.
void require_sets_of_series(const FilmRequest& request);

// Throws Error for a film whose particles several ranks cannot share.
void require_split(const FilmRequest& request);

// Throws Error for keys that show none of so many snapshots; `where`: the path's file.
void require_places(const CameraPath& path, std::size_t snapshots, const std::string& where);

}  // namespace haloscope::render
