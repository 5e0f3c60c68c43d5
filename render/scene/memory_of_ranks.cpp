#include "render/scene/memory_of_ranks.h"

#include "compute/exec/mpi/rank_watch.h"
#include "core/array.h"
#include "core/host_memory.h"
#include "render/scene/picture_output.h"

#include <fmt/format.h>

namespace haloscope::render {

namespace {

using compute::splotch::LargeOn;
using compute::splotch::Mode;
using compute::splotch::Strategy;

// Of large splats that a GPU leaves to the processor, which it may where they are drawn exactly.
bool has_sums_beside_gpu(const RenderRequest& request) {
  const ComputeRequest& how = request.compute;
  if (request.mode == Mode::Map || request.map.shown || how.deterministic) return false;
  if (how.strategy == Strategy::Paper || how.large == LargeOn::Gpu) return false;
  return how.exact || request.mode == Mode::Classic;
}

}  // namespace

std::uint64_t picture_bytes_of_rank(const RenderRequest& request, PixelSize size,
                                    compute::Device device, bool is_first) {
  if (is_first || !device.is_gpu()) return picture_bytes(size);
  if (!has_sums_beside_gpu(request)) return 0;
  return std::uint64_t(size.width) * std::uint64_t(size.height) * 4 * sizeof(float);
}

void require_memory_of_ranks(compute::Ranks& ranks, bool gpus, HeldByRanks held, std::uint64_t own,
                             const std::string& purpose, const std::string& remedy) {
  const std::uint64_t here = compute::ranks_of_this_machine(ranks);
  const std::uint64_t all = compute::sum_on_this_machine(ranks, own);
  if (here == 1) return require_host_memory(all, purpose, remedy);
  const std::string who = fmt::format("{} {}", here, gpus ? "GPUs" : "ranks of this machine");
  if (held == HeldByRanks::Parts)
    require_host_memory(all, purpose + ", of which " + who + " have parts",
                        remedy + ", or take more machines");
  else
    require_host_memory(
        all, purpose + ", once for each of " + who,
        (gpus ? "take fewer GPUs (--gpus), or " : "start fewer ranks on it, or ") + remedy);
}

bool ranks_have_memory(compute::Ranks& ranks, std::uint64_t own) {
  const bool here = has_host_memory(compute::sum_on_this_machine(ranks, own));
  return ranks.sum(std::uint32_t(here ? 0 : 1)) == 0;
}

}  // namespace haloscope::render
