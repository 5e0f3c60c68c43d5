#include "compute/topology/merge_tree.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::compute::topology {

void require_simplification(const Simplification& simplification) {
  if (std::isnan(simplification.threshold))
    throw Error("the threshold is not a number", "persistence");
  if (simplification.measure == Simplification::Measure::Ratio && simplification.threshold < 1)
    throw Error(
        fmt::format("a ratio of {} is below 1, which every branch has", simplification.threshold),
        "persistence", "choose 1 or more");
}

std::unique_ptr<MergeTree> make_merge_tree(Device device, Progress& progress) {
  return device.is_gpu() ? make_cuda_merge_tree(device, progress) : make_cpu_merge_tree(progress);
}

}  // namespace haloscope::compute::topology
