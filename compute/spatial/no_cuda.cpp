#include "compute/spatial/neighbors.h"
#include "core/error.h"

namespace haloscope::compute::spatial {

std::unique_ptr<Neighbors> make_cuda_neighbors() {
  throw Error("this build has no CUDA", "--device cuda", "use --device cpu");
}

}  // namespace haloscope::compute::spatial
