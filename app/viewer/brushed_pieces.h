#pragma once

#include "analysis/finding.h"
#include "app/session/state.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace haloscope::app::viewer {

// The pieces in the rectangle of a plot of pairs, found once for each rectangle and finding: panels
// and overlays ask for them in every frame.
class BrushedPieces {
 public:
  // Ascending; null: there is no rectangle, or nothing found. Valid until the next call.
  const std::vector<std::uint64_t>* of(const std::shared_ptr<const analysis::Finding>& finding,
                                       const session::FindingState& state);

 private:
  std::weak_ptr<const analysis::Finding> made_for_;
  session::Limits births_{}, deaths_{};
  std::vector<std::uint64_t> pieces_;
};

}  // namespace haloscope::app::viewer
