#include "render/film/film_request.h"

#include "analysis/finder.h"
#include "core/error.h"
#include "render/scene/require_for_ranks.h"

#include <fmt/format.h>

#include <utility>

namespace haloscope::render {

namespace {

// The same number is another piece in the next snapshot, whose colors would flicker.
void drop_colors(FilmRequest& request, const analysis::RunContext& context) {
  if (!request.colors && !request.picture.color_by) return;
  const std::string what =
      request.colors
          ? analysis::coloring_in_words(request.colors.finding->finder, request.colors.field)
          : analysis::coloring_in_words(request.picture.color_by->finder,
                                        request.picture.color_by->field);
  request.colors = {};
  request.picture.color_by.reset();
  context.print(
      analysis::capitalized(what) +
      " are those of one snapshot: in a film of several, particles keep their own colors.");
}

void drop_slice(FilmRequest& request, const analysis::RunContext& context) {
  if (!std::exchange(request.picture.slice, {})) return;
  context.print("The slice is of the grid of one snapshot: a film of several has none.");
}

}  // namespace

FilmRequest whole_request(FilmRequest request) {
  if (!request.tone) request.tone = request.picture.tone;
  if (!request.path.empty()) return request;
  if (!request.keys) throw Error("the camera's path is missing", "movie", "give --path FILE");
  // A path made in a series may be flown in one snapshot.
  if (request.snapshots.size() < 2)
    for (PathKey& key : request.keys->keys) key.snapshot.reset();
  return request;
}

void drop_of_one_snapshot(FilmRequest& request, const analysis::RunContext& context) {
  if (request.snapshots.size() > 1) {
    drop_colors(request, context);
    drop_slice(request, context);
  }
  // The request's own colors take the place of a search.
  if (request.colors) request.picture.color_by.reset();
}

void require_sets_of_series(const FilmRequest& request) {
  if (!request.picture.sets || request.snapshots.size() < 2) return;
  const auto check = [](const analysis::NamedSet& set, const analysis::SetOperand& operand) {
    if (operand.set.empty() && operand.selection.of_finding() && !operand.selection.follow_ids)
      throw Error(
          fmt::format("the set '{}' is of pieces that were found in one snapshot", set.name),
          "the film", "select them with follow_ids on, and make the set anew");
  };
  for (const analysis::NamedSet& set : request.picture.sets->sets) {
    check(set, set.first);
    if (set.operation != analysis::SetOperation::None) check(set, set.second);
  }
}

void require_split(const FilmRequest& request) {
  // Particles between two snapshots are found by ID among all of them.
  if (request.snapshots.size() > 1)
    throw Error("ranks cannot share the particles of several snapshots", "--split particles",
                "take --split frames");
  if (!can_be_drawn_by_ranks(request.picture))
    throw Error(
        "ranks cannot share the particles of classic pictures, of the paper's scheme, and "
        "of maps by cells",
        "--split particles", "take --split frames");
}

void require_places(const CameraPath& path, std::size_t snapshots, const std::string& where) {
  const std::size_t last = snapshots - 1;
  for (const CameraKey& key : path.keys())
    if (key.snapshot > double(last))
      throw Error(
          last == 0
              ? fmt::format("a key shows snapshot {}, but one is given (snapshot 0)", key.snapshot)
              : fmt::format("a key shows snapshot {}, but the film's snapshots are 0 to {}",
                            key.snapshot, last),
          where, "snapshots are counted from 0");
}

}  // namespace haloscope::render
