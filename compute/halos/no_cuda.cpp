#include "compute/halos/clustering.h"
#include "core/error.h"

namespace haloscope::compute::halos {

std::unique_ptr<Clustering> make_cuda_clustering() {
  throw Error("this build has no CUDA", "--device cuda", "use --device cpu");
}

}  // namespace haloscope::compute::halos
