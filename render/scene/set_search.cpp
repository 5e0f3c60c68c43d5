#include "render/scene/set_search.h"

namespace haloscope::render {

std::string why_no_sets(const RenderRequest& request) {
  if (request.sets && request.map.shown)
    return "A map has no colors of particles: no set is shown.";
  if (!request.sets || request.mode == compute::splotch::Mode::Default)
    return request.sets && request.selection.any()
               ? "Sets are of all particles, of which a part is drawn: no set is shown."
               : std::string();
  return request.mode == compute::splotch::Mode::Map
             ? "A map has no colors of particles: no set is shown."
             : "Classic pictures have Splotch's colors alone: no set is shown.";
}

ShownSets search_sets(const RenderRequest& request, const std::string& snapshot,
                      compute::Device device, analysis::KnownIds& known, Progress& progress) {
  if (!request.sets || !why_no_sets(request).empty()) return {};
  const SetSearch& asked = *request.sets;
  ShownSets shown{asked.known, asked.how, asked.sets};
  if (shown.members && shown.members->snapshot == snapshot) return shown;
  const analysis::SetsRequest search{asked.sets, snapshot, asked.series, request.said, device, {}};
  shown.members = std::make_shared<const analysis::SetMembers>(
      analysis::members_of_sets(search, known, progress));
  return shown;
}

}  // namespace haloscope::render
