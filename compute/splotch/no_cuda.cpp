// Stands in for the CUDA executor in builds without a CUDA toolkit.
#include "compute/splotch/renderer.h"
#include "core/error.h"

namespace haloscope::compute::splotch {

std::unique_ptr<Renderer> make_cuda_renderer(std::uint64_t) {
  throw Error("this build has no CUDA", "GPU",
              "use --device cpu, or build with a CUDA toolkit (12 or newer)");
}

bool cuda_available(std::string* why) {
  if (why) *why = "this build has no CUDA";
  return false;
}

}  // namespace haloscope::compute::splotch
