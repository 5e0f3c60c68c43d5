#include "render/scene/require_for_ranks.h"

#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/rank_devices.h"
#include "core/error.h"

#include <string>

namespace haloscope::render {

void require_for_ranks(const RenderRequest& request) {
  using compute::splotch::Mode;
  const ComputeRequest& how = request.compute;
  // Ranks that no launcher started are the GPUs of one process.
  const std::string who = how.chosen ? "several GPUs" : "several ranks";
  const std::string fewer = how.chosen ? "leave --gpus out" : "start one process";
  const auto refuse = [&](const std::string& what, const char* where,
                          const std::string& remedy = "leave it out") {
    throw Error(who + " cannot " + what + " yet", where, remedy + ", or " + fewer);
  };
  if (how.strategy == compute::splotch::Strategy::Paper)
    refuse("draw by the paper's scheme", "--strategy");
  // Its sums are those of floats, in the order of one process.
  if (request.mode == Mode::Classic && how.deterministic)
    refuse("draw classic pictures that are the same to the last bit", "--deterministic");
  if (request.map.cells) refuse("make maps by the cells of a mesh", "--cells");
  const bool light = request.mode != Mode::Map && !request.map.shown;
  if (request.color_by && light) refuse("color by what is found", "--state", "give another state");
  if (request.slice && request.mode != Mode::Map)
    refuse("lay a slice of a grid over a picture", "--state", "give another state");
  if (request.sets && request.sets->how != analysis::ShowSets::Off)
    refuse("show sets of particles", "--state", "give another state");
  if (request.overlays) refuse("draw overlays", "--overlays");
}

compute::Device device_of_rank(const ComputeRequest& request, compute::Ranks& ranks) {
  if (request.chosen) return *request.chosen;
  return compute::choose_device_of_rank(request.device, ranks, compute::host_name());
}

}  // namespace haloscope::render
