#include "compute/hierarchy/flat_cut.h"

#include "compute/exec/cpu.h"
#include "compute/hierarchy/flat_cut.inl"

#include <algorithm>

namespace haloscope::compute::hierarchy {

FlatCut flat_cut(const Dendrogram& dendrogram, std::uint32_t ranks, std::uint64_t least_members) {
  Cpu exec;
  const auto cut = flat_cut_on(exec, dendrogram.order.data(), dendrogram.between.data(),
                               std::uint32_t(dendrogram.order.size()), ranks, least_members);
  return {download(exec, cut.label), download(exec, cut.members)};
}

std::uint32_t ranks_up_to(const std::vector<double>& heights, double height) {
  return std::uint32_t(std::upper_bound(heights.begin(), heights.end(), height) - heights.begin());
}

}  // namespace haloscope::compute::hierarchy
