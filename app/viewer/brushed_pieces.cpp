#include "app/viewer/brushed_pieces.h"

#include "analysis/finder.h"

namespace haloscope::app::viewer {

const std::vector<std::uint64_t>* BrushedPieces::of(
    const std::shared_ptr<const analysis::Finding>& finding, const session::FindingState& state) {
  if (!finding || !state.births || !state.deaths) return nullptr;
  if (made_for_.lock() == finding && births_ == *state.births && deaths_ == *state.deaths)
    return &pieces_;
  made_for_ = finding;
  births_ = *state.births;
  deaths_ = *state.deaths;
  pieces_ = analysis::require_finder(finding->finder).pieces_within(*finding, births_, deaths_);
  return &pieces_;
}

}  // namespace haloscope::app::viewer
