#include "app/viewer/viewer.h"

// The sets of a session: who is in them, and how pictures show them.
namespace haloscope::app::viewer {

using session::State;

analysis::SetsRequest Viewer::sets_request(const State& state) const {
  analysis::SetsRequest request;
  request.sets = session::sets_of(state);
  request.snapshot = state.snapshot();
  request.series = state.snapshots;
  request.said = base_.said;
  request.device = device();
  request.leaves_out_faulty = true;
  const auto know = [&](const analysis::SelectionChoice& chosen) {
    if (!chosen.of_finding() || chosen.made_in >= state.snapshots.size()) return;
    auto finding = findings_.kept(state.snapshots[chosen.made_in], chosen.finder, chosen.search);
    if (finding) request.findings.push_back({chosen, std::move(finding)});
  };
  analysis::each_selection(request.sets, know);
  return request;
}

void Viewer::want_sets() {
  follow_set();
  const bool any = !state_.sets.empty() || (state_.show_sets != analysis::ShowSets::Off &&
                                            !session::sets_of(state_).empty());
  if (!any) return sets_.want_nothing();
  if (opener_.busy()) return;
  if (!opener_.model()) return sets_.want({});
  const analysis::SetsRequest request = sets_request(state_);
  // As with the count: what a set means may be what is being found.
  bool of_finding = false;
  analysis::each_selection(request.sets, [&](const analysis::SelectionChoice& chosen) {
    of_finding = of_finding || chosen.of_finding();
  });
  if (!of_finding || !findings_.busy()) sets_.want(request);
}

void Viewer::tell_of_sets(const analysis::SetMembers& members) {
  for (const auto& sentence : members.said) tell(false, sentence);
  for (const auto& fault : members.faults)
    faults_.add(fault + "; the other sets are shown, remove_set removes this one");
}

void Viewer::take_sets() {
  if (const auto came = sets_.receive(); came && !came->members)
    faults_.add(came->fault);
  else if (came)
    tell_of_sets(*came->members);
  const auto middle = follower_.receive();
  if (!middle || !state_.camera) return;
  const session::Camera from = *state_.camera;
  state_.camera->center = *middle;
  if (from != *state_.camera) glide_from(from);
}

// Asks for the middle of the set that the camera follows, once it is known who is in it here.
void Viewer::follow_set() {
  const auto& members = sets_.shown().members;
  const bool here = sets_.is_known() && members && opener_.model() && !opener_.busy() &&
                    members->snapshot == opener_.model()->path;
  if (state_.follow.empty()) return follower_.want({}, {}, {});
  if (here) follower_.want(members, state_.follow, base_.said);
}

render::ShownSets Viewer::shown_sets(const State& state) const {
  const auto& members = sets_.shown().members;
  // While another snapshot is being read, they are of one of the two.
  if (base_.selection.any() || !members || !opener_.model() ||
      members->snapshot != opener_.model()->path)
    return {{}, state.show_sets, session::sets_of(state)};
  return {members, state.show_sets, session::sets_of(state)};
}

std::string Viewer::why_no_sets() const {
  if (state_.show_sets == analysis::ShowSets::Off) return {};
  if (state_.map.shown && !session::sets_of(state_).empty())
    return "A map has no colors of particles: no set is shown. Another look shows them "
           "(show_look).";
  if (!base_.selection.any()) return {};
  return "Sets are of all particles, of which a part is shown: no set is shown. Open the snapshot "
         "without --region, --every and --max-particles.";
}

}  // namespace haloscope::app::viewer
