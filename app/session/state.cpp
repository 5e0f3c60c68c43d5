#include "app/session/state.h"

namespace haloscope::app::session {

const std::string& State::snapshot() const {
  static const std::string none;
  return current < snapshots.size() ? snapshots[current] : none;
}

TypeState State::type(int number) const {
  const auto found = types.find(number);
  return found == types.end() ? TypeState{} : found->second;
}

const std::string* State::colored_by() const {
  for (const auto& [name, finding] : findings)
    if (finding.color_particles) return &name;
  return nullptr;
}

std::vector<analysis::NamedSet> sets_of(const State& state) {
  if (!state.sets.empty() || state.selection.kind == SelectionKind::None) return state.sets;
  analysis::NamedSet selected;
  selected.name = "selected";
  selected.first.selection = state.selection;
  selected.color = analysis::next_color({});
  return {selected};
}

std::string shown_name(const analysis::NamedSet& set, const State& state) {
  const analysis::SelectionChoice& chosen = set.first.selection;
  const analysis::Finder* const finder = analysis::finder_named(chosen.finder);
  if (!state.sets.empty() || chosen.kind != SelectionKind::Piece || !finder ||
      !finder->words().only.empty())
    return set.name;
  return "members of " + finder->words().piece + " " + std::to_string(chosen.piece) +
         (chosen.follow_ids && state.snapshots.size() > 1 ? ", followed" : "");
}

std::map<std::string, FindingState> unsearched() {
  std::map<std::string, FindingState> findings;
  for (const auto& finder : analysis::finders())
    findings[finder->name()].options = finder->options();
  return findings;
}

const std::string& finder_with_grid() {
  static const std::string none;
  for (const auto& finder : analysis::finders())
    if (finder->words().has_grid) return finder->name();
  return none;
}

const std::string& usual_finder() {
  return analysis::finders().front()->name();
}

}  // namespace haloscope::app::session
