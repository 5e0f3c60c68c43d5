#include "app/viewer/viewer.h"
#include "core/error.h"

// Steps of a session back and forth.
namespace haloscope::app::viewer {

using session::State;

void Viewer::walk_to(const session::History::Step& step, State& state) {
  const State before = state;
  state = step.state;
  if (state.current != before.current) {
    // As in going there: halos that were found come back with the snapshot.
    state.halos.searched = false;
    state.halos.selected.reset();
    open_snapshot(state);
    return glide_after(before, state);
  }
  const bool same_search = state.halos.searched == before.halos.searched &&
                           state.halos.options() == before.halos.options();
  if (!same_search) show_kept_halos(state);
  if (state.halos.selected && !halo(*state.halos.selected)) state.halos.selected.reset();
  glide_after(before, state);
}

void Viewer::glide_after(const State& before, const State& state) {
  if (before.camera && state.camera && *before.camera != *state.camera) glide_from(*before.camera);
}

void Viewer::undo(State& state) {
  const auto step = history_.undo(state);
  if (!step) throw Error("there is no step to undo in what is open", "undo");
  walk_to(*step, state);
  announce("undone: " + step->words);
}

void Viewer::redo(State& state) {
  const auto step = history_.redo(state);
  if (!step) throw Error("nothing was undone that could be done again", "redo");
  walk_to(*step, state);
  announce("done again: " + step->words);
}

}  // namespace haloscope::app::viewer
