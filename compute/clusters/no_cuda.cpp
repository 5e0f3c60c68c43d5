#include "compute/clusters/clustering.h"
#include "core/error.h"

namespace haloscope::compute::clusters {

std::unique_ptr<Clustering> make_cuda_clustering() {
  throw Error("this build has no CUDA", "--device cuda", "use --device cpu");
}

}  // namespace haloscope::compute::clusters
