#include "compute/brute_force/nearest_rows.h"
#include "core/error.h"

namespace haloscope::compute::brute_force {

NeighborLists find_nearest_cuda_rows(Device device, const Rows&, std::uint32_t, Progress&,
                                     Timings*) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::brute_force
