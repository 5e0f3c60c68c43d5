#include "compute/exec/cpu.h"
#include "compute/topology/merge_contacts_cpu.h"
#include "compute/topology/step_rows_cpu.h"

// Behind the steps of this executor, which it looks for.
#include "compute/distributed/slab_tree.inl"

namespace haloscope::compute::distributed {

std::unique_ptr<SlabTree> make_cpu_slab_tree(Ranks& ranks, Progress& progress) {
  return std::make_unique<SlabTreeOn<Cpu>>(progress, ranks, Device::cpu(), Wire::Host, progress);
}

}  // namespace haloscope::compute::distributed
