#include "render/scene/require_for_ranks.h"

#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/rank_devices.h"
#include "core/error.h"

#include <string>

namespace haloscope::render {

namespace {

struct Lacking {
  const char* what = nullptr;  // null: nothing is
  const char* option = nullptr;
};

Lacking lacking(const RenderRequest& request) {
  using compute::splotch::Mode;
  if (request.compute.strategy == compute::splotch::Strategy::Paper)
    return {"draw by the paper's scheme", "--strategy"};
  // Its sums are those of floats, in the order of one process.
  if (request.mode == Mode::Classic && request.compute.deterministic)
    return {"draw classic pictures that are the same to the last bit", "--deterministic"};
  if (request.map.cells) return {"make maps by the cells of a mesh", "--cells"};
  return {};
}

}  // namespace

bool can_be_drawn_by_ranks(const RenderRequest& request) {
  return lacking(request).what == nullptr;
}

void require_for_ranks(const RenderRequest& request) {
  const Lacking it = lacking(request);
  if (it.what == nullptr) return;
  // Ranks that no launcher started are the GPUs of one process.
  const bool gpus = request.compute.chosen.has_value();
  throw Error(std::string(gpus ? "several GPUs" : "several ranks") + " cannot " + it.what + " yet",
              it.option,
              std::string("leave it out, or ") + (gpus ? "leave --gpus out" : "start one process"));
}

compute::Device device_of_rank(const ComputeRequest& request, compute::Ranks& ranks) {
  if (request.chosen) return *request.chosen;
  return compute::choose_device_of_rank(request.device, ranks, compute::host_name());
}

}  // namespace haloscope::render
