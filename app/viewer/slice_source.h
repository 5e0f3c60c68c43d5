#pragma once

#include "analysis/finding.h"
#include "app/session/session_actions.h"
#include "render/scene/slice_picture.h"

#include <memory>
#include <optional>

namespace haloscope::app::viewer {

// The plane of the grid of what was found that the state asks for. One plane is copied when it is
// asked for, and kept: a large grid is not touched in every frame.
class SliceSource {
 public:
  // Null plane: none is asked for, or there is no such plane.
  render::ShownSlice of(const std::shared_ptr<const analysis::Finding>& finding,
                        const render::SliceChoice& choice);
  // Of the grid; none: there is none.
  std::optional<session::SceneFacts::GridFacts> facts(
      const std::shared_ptr<const analysis::Finding>& finding);

 private:
  void follow(const analysis::Finding& finding);

  std::weak_ptr<const analysis::GridTree> tree_;
  compute::splotch::Ranging automatic_;  // of it
  std::shared_ptr<const analysis::GridPlane> plane_;
};

}  // namespace haloscope::app::viewer
