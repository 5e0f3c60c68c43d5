// Stands in for the CUDA executor in builds without a CUDA toolkit.
#include "compute/splotch/renderer.h"
#include "core/error.h"

namespace haloscope::compute::splotch {

std::unique_ptr<Renderer> make_cuda_renderer(Device device, std::uint64_t, Ranks*, Wire,
                                             std::uint64_t) {
  throw Error("this build has no CUDA", "--device " + device.word(),
              "use --device cpu, or build with a CUDA toolkit (12 or newer)");
}

}  // namespace haloscope::compute::splotch
