#pragma once

#include "compute/exec/device.h"
#include "compute/spatial/lbvh_traverse.h"
#include "compute/spatial/points.h"
#include "core/array.h"
#include "core/progress.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// Nearest neighbors among points in fixed point, on the torus (see lbvh_traverse.h).
namespace haloscope::compute::spatial {

inline constexpr std::uint32_t kNobodyNear = ~0u;

struct Nearest {
  std::uint64_t index;    // in file order, or kNobodyNear
  std::uint64_t squared;  // distance in lattice steps, squared; the asked limit where there is none
};

class Neighbors {
 public:
  static constexpr int kMostNeighbors = 128;

  virtual ~Neighbors() = default;

  // Takes three arrays of `count` coordinates in file order and builds a tree over them. Throws
  // Error for more than kMostLeaves. Adds milliseconds of keys, sort and build to `timings`, from
  // positions on the executor on.
  virtual void set_points(const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                          Timings* timings = nullptr) = 0;

  // Takes points that are on the executor's device already, as Clustering does; several sets are
  // copied together meanwhile.
  virtual void set_points(std::vector<std::shared_ptr<const PointSet>> sets,
                          Timings* timings = nullptr) = 0;

  // For each of `count` places the nearest point within a distance, that distance included; of
  // points equally near the one with the smallest index.
  virtual std::vector<Nearest> nearest(const std::array<const std::uint32_t*, 3>& places,
                                       std::uint64_t count,
                                       std::uint64_t most_squared_distance) const = 0;

  // For each point, in file order, the squared distance to the k-th nearest of the others, in
  // lattice steps, exact but for being rounded to float32 once; infinite where there are fewer.
  // Throws Error unless 1 ≤ k ≤ kMostNeighbors. Adds milliseconds of the search, without the way to
  // the host, to `timings`.
  virtual std::vector<float> kth_squared_distance(int k, Timings* timings = nullptr) const = 0;

  // The distance itself: the root of that times the length of a lattice `step`. Reports between
  // parts of the search and throws Cancelled; `part` is their number of points, 0 for what takes a
  // fraction of a second. Throws Error as above.
  virtual Array<float> kth_distance(int k, double step, Progress& progress,
                                    std::uint32_t part = 0) const = 0;

  virtual bool on_gpu() const = 0;
  // What building a tree and searching it hold at most, bytes per point; on the executor.
  static constexpr std::uint64_t kBytesPerPoint = 80;
  // Whether one tree can hold so many points, in the memory that the executor has free.
  virtual bool can_hold(std::uint64_t count) const = 0;

  // The tree as it was built, for whoever wants to look at it.
  struct TreeCopy {
    std::vector<BvhNode> nodes;
    std::vector<std::uint32_t> right_leaves;
    std::vector<std::uint32_t> order;  // index of each leaf's point in file order
  };
  virtual TreeCopy tree() const = 0;
};

std::unique_ptr<Neighbors> make_cpu_neighbors();
std::unique_ptr<Neighbors> make_cuda_neighbors(Device device);  // throws Error without that GPU

inline std::unique_ptr<Neighbors> make_neighbors(Device device) {
  return device.is_gpu() ? make_cuda_neighbors(device) : make_cpu_neighbors();
}

}  // namespace haloscope::compute::spatial
