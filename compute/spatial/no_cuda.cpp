#include "compute/spatial/neighbors.h"
#include "compute/spatial/octree.h"
#include "compute/spatial/points.h"
#include "compute/spatial/points_in_box.h"
#include "core/error.h"

namespace haloscope::compute::spatial {

std::unique_ptr<Neighbors> make_cuda_neighbors(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

std::unique_ptr<OctreeBuilder> make_cuda_octree_builder(Device device, const Progress*) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

std::shared_ptr<const PointSet> place_cuda_points(Device device, const Domain&,
                                                  const std::array<const std::uint32_t*, 3>&,
                                                  std::uint64_t) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

RowsInBox cuda_points_in_box(const PointSet& points, const LatticeBox&) {
  throw Error("this build has no CUDA", "--device " + points.device().word(), "use --device cpu");
}

}  // namespace haloscope::compute::spatial
