#pragma once

#include "compute/exec/device.h"
#include "compute/spatial/points_view.h"
#include "core/domain.h"

#include <array>
#include <cstdint>
#include <memory>

namespace haloscope::compute::spatial {

// Points with their rows where a device reads them.
struct HeldPoints {
  PointsView view;
  std::shared_ptr<const void> rows;  // keeps the view's rows there
};

// Positions of one particle type that stay on one device, in Morton order, each with the row that
// it has in the columns it came from. Nothing of it changes, so that drawing and any number of
// searches share it, each on a thread of its own. Drawing needs no rows, so those of very many
// points wait in host memory until somebody holds them.
class PointSet {
 public:
  virtual ~PointSet() = default;

  virtual Device device() const = 0;
  virtual const Domain& domain() const = 0;
  virtual std::uint64_t count() const = 0;
  // Where device() reads them. This memory lives as long as this: whoever reads on a stream of a
  // GPU waits for that before it gives the set up.
  virtual Positions positions() const = 0;
  // The same with the rows, which lie there as long as what is returned lives too. Throws Error
  // where the device has no memory for rows that wait in the host's, 4 B each.
  virtual HeldPoints hold() const = 0;
  // Copies three arrays of count() coordinates to host memory in the order of the rows. Takes 4 B
  // per point of a GPU's memory meanwhile, and 4 for rows that wait in the host's. Throws Error
  // where that is not there.
  virtual void copy(const std::array<std::uint32_t*, 3>& to) const = 0;
};

// Places `count` < 2³² host positions in `domain` on a device. Throws Error where the device cannot
// be had, where its memory does not hold them, and for more points.
std::shared_ptr<const PointSet> place_points(Device device, const Domain& domain,
                                             const std::array<const std::uint32_t*, 3>& position,
                                             std::uint64_t count);

std::shared_ptr<const PointSet> place_cpu_points(
    const Domain& domain, const std::array<const std::uint32_t*, 3>& position, std::uint64_t count);
std::shared_ptr<const PointSet> place_cuda_points(
    Device device, const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
    std::uint64_t count);

}  // namespace haloscope::compute::spatial
