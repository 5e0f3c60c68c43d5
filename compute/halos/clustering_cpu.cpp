#include "compute/exec/cpu.h"
#include "compute/halos/clustering.inl"
#include "compute/halos/link_rows_cpu.h"

namespace haloscope::compute::halos {

std::unique_ptr<Clustering> make_cpu_clustering() {
  return std::make_unique<ClusteringOn<Cpu>>();
}

}  // namespace haloscope::compute::halos
