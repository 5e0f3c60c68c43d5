#include "compute/clusters/clustering.inl"
#include "compute/clusters/link_rows_cpu.h"
#include "compute/exec/cpu.h"

namespace haloscope::compute::clusters {

std::unique_ptr<Clustering> make_cpu_clustering() {
  return std::make_unique<ClusteringOn<Cpu>>();
}

}  // namespace haloscope::compute::clusters
