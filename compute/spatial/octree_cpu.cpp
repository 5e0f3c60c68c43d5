#include "compute/exec/cpu.h"
#include "compute/spatial/octree.inl"
#include "compute/spatial/octree_insert_cpu.h"

namespace haloscope::compute::spatial {

std::unique_ptr<OctreeBuilder> make_cpu_octree_builder(const Progress* progress) {
  return std::make_unique<OctreeBuilderOn<Cpu>>(
      progress ? std::make_shared<Cpu>(*progress) : std::make_shared<Cpu>(), progress);
}

}  // namespace haloscope::compute::spatial
