#include "compute/exec/cpu.h"
#include "compute/hierarchy/dendrogram.inl"

namespace haloscope::compute::hierarchy {

Dendrogram make_cpu_dendrogram(const RankedForest& forest) {
  Cpu exec;
  return dendrogram_on(exec, forest);
}

}  // namespace haloscope::compute::hierarchy
