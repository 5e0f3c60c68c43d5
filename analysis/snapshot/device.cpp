#include "analysis/snapshot/device.h"

namespace haloscope::analysis {

namespace splotch = compute::splotch;

namespace {

bool is_cuda(const std::string& device) {
  return device == "cuda" || (device == "auto" && splotch::cuda_available());
}

}  // namespace

std::unique_ptr<splotch::Renderer> make_renderer(const std::string& device,
                                                 std::uint64_t memory_budget) {
  return is_cuda(device) ? splotch::make_cuda_renderer(memory_budget)
                         : splotch::make_cpu_renderer();
}

std::unique_ptr<compute::spatial::Neighbors> make_neighbors(const std::string& device) {
  return is_cuda(device) ? compute::spatial::make_cuda_neighbors()
                         : compute::spatial::make_cpu_neighbors();
}

}  // namespace haloscope::analysis
