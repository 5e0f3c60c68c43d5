#include "compute/brute_force/row_search_cpu.h"
#include "compute/clusters/cuslink.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::clusters {

CuslinkTree make_cpu_cuslink_tree(const brute_force::Rows& rows, const CuslinkSettings& settings,
                                  Progress& progress, Timings* timings) {
  Cpu exec(progress);
  Timings own_timings;
  return CuslinkMaker<Cpu>(exec, rows, settings, progress, timings ? *timings : own_timings).make();
}

}  // namespace haloscope::compute::clusters
