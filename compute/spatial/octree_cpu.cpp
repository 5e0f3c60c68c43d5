#include "compute/exec/cpu.h"
#include "compute/spatial/octree.inl"
#include "compute/spatial/octree_insert_cpu.h"

namespace haloscope::compute::spatial {

std::unique_ptr<OctreeBuilder> make_cpu_octree_builder() {
  return std::make_unique<OctreeBuilderOn<Cpu>>(Device::cpu());
}

}  // namespace haloscope::compute::spatial
