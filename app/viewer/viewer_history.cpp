#include "app/viewer/viewer.h"
#include "core/error.h"

// Steps of a session back and forth.
namespace haloscope::app::viewer {

using session::State;

void Viewer::walk_to(const session::History::Step& step, State& state) {
  const State before = state;
  state = step.state;
  if (state.current != before.current) {
    // As in going there: what was found comes back with the snapshot.
    for (auto& [finder, finding] : state.findings) {
      finding.searched = false;
      finding.selected.reset();
    }
    open_snapshot(state);
    return glide_after(before, state);
  }
  show_kept(before, state);
  for (auto& [finder, finding] : state.findings)
    if (finding.selected && !piece(finder, *finding.selected)) finding.selected.reset();
  glide_after(before, state);
}

void Viewer::glide_after(const State& before, const State& state) {
  if (before.camera && state.camera && *before.camera != *state.camera) glide_from(*before.camera);
}

void Viewer::one_step(bool on) {
  history_.one_step(on);
  findings_.set_dragging(on);
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
