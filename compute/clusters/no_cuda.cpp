#include "compute/clusters/clustering.h"
#include "core/error.h"

namespace haloscope::compute::clusters {

std::unique_ptr<Clustering> make_cuda_clustering(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::clusters
