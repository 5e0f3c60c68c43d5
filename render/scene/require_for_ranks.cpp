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
  const auto refuse = [&](const char* what, const char* where) {
    throw Error(who + " cannot " + what + " yet", where, "leave it out, or " + fewer);
  };
  if (how.strategy == compute::splotch::Strategy::Paper)
    refuse("draw by the paper's scheme", "--strategy");
  // Its sums are those of floats, in the order of one process.
  if (request.mode == Mode::Classic && how.deterministic)
    refuse("draw classic pictures that are the same to the last bit", "--deterministic");
  if (request.map.cells) refuse("make maps by the cells of a mesh", "--cells");
}

compute::Device device_of_rank(const ComputeRequest& request, compute::Ranks& ranks) {
  if (request.chosen) return *request.chosen;
  return compute::choose_device_of_rank(request.device, ranks, compute::host_name());
}

}  // namespace haloscope::render
