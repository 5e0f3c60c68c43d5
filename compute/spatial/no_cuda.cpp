#include "compute/spatial/neighbors.h"
#include "core/error.h"

namespace haloscope::compute::spatial {

std::unique_ptr<Neighbors> make_cuda_neighbors(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::spatial
