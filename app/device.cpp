#include "app/device.h"

namespace haloscope::app {

namespace splotch = compute::splotch;

std::unique_ptr<splotch::Renderer> make_renderer(const std::string& device,
                                                 std::uint64_t memory_budget) {
  if (device == "cuda" || (device == "auto" && splotch::cuda_available()))
    return splotch::make_cuda_renderer(memory_budget);
  return splotch::make_cpu_renderer();
}

}  // namespace haloscope::app
