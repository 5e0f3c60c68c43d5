#include "app/viewer/slice_source.h"

#include <utility>

namespace haloscope::app::viewer {

// Another cut of the same tree has the same grid.
void SliceSource::follow(const analysis::Finding& finding) {
  if (tree_.lock() == finding.peaks->tree) return;
  tree_ = finding.peaks->tree;
  automatic_ = analysis::grid_color(*finding.peaks->tree);
  plane_.reset();
}

render::ShownSlice SliceSource::of(const std::shared_ptr<const analysis::Finding>& finding,
                                   const render::SliceChoice& choice) {
  if (!finding || !finding->peaks || !choice.axis) {
    plane_.reset();
    return {};
  }
  follow(*finding);
  if (!plane_ || plane_->axis != *choice.axis || plane_->position != choice.position) {
    auto plane = analysis::take_plane(*finding->peaks, *choice.axis, choice.position);
    plane_.reset();
    if (plane) plane_ = std::make_shared<const analysis::GridPlane>(std::move(*plane));
  }
  if (!plane_) return {};
  return {plane_, automatic_, choice};
}

std::optional<session::SceneFacts::GridFacts> SliceSource::facts(
    const std::shared_ptr<const analysis::Finding>& finding) {
  if (!finding || !finding->peaks) return {};
  follow(*finding);
  const Grid& grid = finding->peaks->tree->grid();
  session::SceneFacts::GridFacts facts;
  for (std::size_t a = 0; a < 3; ++a) {
    facts.bounds.low[a] = grid.low[a];
    facts.bounds.high[a] = grid.low[a] + double(grid.cells[a]) * grid.spacing[a];
  }
  facts.scale = automatic_.transform;
  return facts;
}

}  // namespace haloscope::app::viewer
