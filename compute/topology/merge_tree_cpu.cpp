#include "compute/exec/cpu.h"
#include "compute/topology/merge_contacts_cpu.h"
#include "compute/topology/merge_tree.inl"
#include "compute/topology/step_rows_cpu.h"

namespace haloscope::compute::topology {

std::unique_ptr<MergeTree> make_cpu_merge_tree(Progress& progress) {
  return std::make_unique<MergeTreeOn<Cpu>>(progress);
}

}  // namespace haloscope::compute::topology
