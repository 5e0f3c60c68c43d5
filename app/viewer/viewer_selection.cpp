#include "analysis/plot_units.h"
#include "analysis/snapshot/output_guard.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/viewer.h"

#include <fmt/format.h>

// The selection of a session: its count, and its export.
namespace haloscope::app::viewer {

using session::SelectionKind;
using session::State;

namespace {

std::string in_words(const analysis::SelectionCount& count) {
  std::string text = fmt::format("selected: {} particles", grouped(count.selected()));
  for (const auto& type : count.types)
    if (type.selected > 0) text += fmt::format(", {} {}", grouped(type.selected), type.name);
  if (const auto mass = count.mass(); mass && count.selected() > 0) {
    const auto [factor, unit] = analysis::without_power(count.mass_unit);
    text += fmt::format("; mass {} {}", readable(*mass * factor, 6), unit);
  }
  if (count.sought)
    text += fmt::format("; {} of {} IDs found", grouped(count.found), grouped(*count.sought));
  return text;
}

}  // namespace

analysis::SelectionRequest Viewer::selection_of(const State& state) const {
  analysis::SelectionRequest request;
  request.chosen = state.selection;
  request.snapshot = state.snapshot();
  const std::size_t home = state.selection.made_in;
  request.made_in = home < state.snapshots.size() ? state.snapshots[home] : request.snapshot;
  request.said = base_.said;
  // To choose one anew would wake a GPU on the window's thread.
  request.device = device();
  if (state.selection.of_finding())
    request.finding =
        findings_.kept(request.made_in, state.selection.finder, state.selection.search);
  request.ids = counter_.ids_of(request);
  return request;
}

void Viewer::want_count() {
  if (state_.selection.kind == analysis::SelectionKind::None) return counter_.want_nothing();
  // What is selected may be a piece that a search will find in the snapshot that is being read.
  if (opener_.busy() || findings_.busy()) return;
  if (!opener_.model()) return counter_.want({});
  counter_.want(selection_of(state_));
}

void Viewer::take_count() {
  const auto came = counter_.receive();
  if (!came) return;
  if (came->count) {
    for (const auto& sentence : came->count->said) tell(false, sentence);
    tell(false, in_words(*came->count));
  } else {
    fail_job(came->fault);
  }
}

void Viewer::export_selection(const State& state, const std::string& path, bool overwrite) {
  analysis::require_target(path, analysis::OutputFormat::Hdf5,
                           analysis::overwriting_by_word(overwrite));
  exporter_.file(path, [this, path, request = selection_of(state)](Progress& progress) {
    analysis::export_selection(
        request, path, [this](const std::string& sentence) { log_mail_.add(sentence); }, progress);
  });
}

}  // namespace haloscope::app::viewer
