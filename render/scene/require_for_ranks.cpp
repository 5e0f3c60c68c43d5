#include "render/scene/require_for_ranks.h"

#include "core/error.h"

#include <string>

namespace haloscope::render {

void require_for_ranks(const RenderRequest& request) {
  using compute::splotch::Mode;
  const auto refuse = [](const std::string& what, const char* where,
                         const char* remedy = "leave it out, or start one process") {
    throw Error("several ranks cannot " + what + " yet", where, remedy);
  };
  const ComputeRequest& how = request.compute;
  if (how.device != "auto" && how.device != "cpu")
    throw Error("several ranks compute on processors only so far", "--device",
                "leave it out, or start one process");
  if (request.selection.any())
    refuse("draw a region or a sample", "the selection", "draw all, or start one process");
  if (how.strategy == compute::splotch::Strategy::Paper)
    refuse("draw by the paper's scheme", "--strategy");
  // Its sums are those of floats, in the order of one process.
  if (request.mode == Mode::Classic && how.deterministic)
    refuse("draw classic pictures that are the same to the last bit", "--deterministic");
  if (request.map.cells) refuse("make maps by the cells of a mesh", "--cells");
  const bool light = request.mode != Mode::Map && !request.map.shown;
  if (request.color_by && light)
    refuse("color by what is found", "--state", "give another state, or start one process");
  if (request.slice && request.mode != Mode::Map)
    refuse("lay a slice of a grid over a picture", "--state",
           "give another state, or start one process");
  if (request.sets && request.sets->how != analysis::ShowSets::Off)
    refuse("show sets of particles", "--state", "give another state, or start one process");
  if (request.overlays) refuse("draw overlays", "--overlays");
}

}  // namespace haloscope::render
