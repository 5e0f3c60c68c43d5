#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/clustering.h"
#include "compute/clusters/cuslink.h"
#include "core/error.h"

namespace haloscope::compute::clusters {

namespace {

[[noreturn]] void refuse(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace

std::unique_ptr<Clustering> make_cuda_clustering(Device device) {
  refuse(device);
}

std::unique_ptr<ClusterTree> make_cuda_cluster_tree(Device device, Progress&) {
  refuse(device);
}

CuslinkTree make_cuda_cuslink_tree(Device device, const brute_force::Rows&, const CuslinkSettings&,
                                   Progress&, Timings*) {
  refuse(device);
}

}  // namespace haloscope::compute::clusters
