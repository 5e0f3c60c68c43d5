#include "compute/hierarchy/flat_cut.cuh"

namespace haloscope::compute::hierarchy {

FlatCut cuda_flat_cut(Device device, const Dendrogram& dendrogram, std::uint32_t ranks,
                      std::uint64_t least_members) {
  Cuda exec(device);
  const auto order = upload(exec, dendrogram.order, "cut");
  const auto between = upload(exec, dendrogram.between, "cut");
  const auto cut =
      FlatCutter<Cuda>().cut(exec, order.data(), between.data(),
                             std::uint32_t(dendrogram.order.size()), ranks, least_members);
  return {download(exec, cut.label), download(exec, cut.members)};
}

}  // namespace haloscope::compute::hierarchy
