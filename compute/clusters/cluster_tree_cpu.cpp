#include "compute/clusters/cluster_tree.inl"
#include "compute/clusters/nearest_lists_cpu.h"
#include "compute/exec/cpu.h"

namespace haloscope::compute::clusters {

std::unique_ptr<ClusterTree> make_cpu_cluster_tree(Progress& progress) {
  return std::make_unique<ClusterTreeOn<Cpu>>(progress);
}

}  // namespace haloscope::compute::clusters
