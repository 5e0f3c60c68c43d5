#pragma once

#include "compute/exec/device.h"
#include "compute/spatial/octree_view.h"
#include "compute/spatial/points.h"
#include "core/progress.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// Sparse octrees over points in fixed point, on either executor.
namespace haloscope::compute::spatial {

// Ways to the same tree.
enum class OctreeBuild {
  Morton,    // from sorted codes, without atomics
  LockFree,  // bodies inserted in parallel by compare-and-swap, with what makes that fast
  Plain,     // the same as published: OctreeBuild-LF (Cordeiro and Zola 2024)
  Shared,    // the lowest levels inserted in shared memory, cell by cell; on the CPU as LockFree
  Locked     // as Burtscher and Pingali (2011): who divides a cell locks it, the others try again
};

struct OctreeOptions {
  OctreeBuild build = OctreeBuild::Morton;
  std::uint32_t leaf_size = 64;  // most bodies of a leaf above the deepest level
  int depth = kMostOctreeDepth;  // the deepest level of cells, 1 … kMostOctreeDepth
  bool sums = true;
};

// What bodies carry, by their rows: host arrays that may be null. No mass: all have the mass 1.
struct OctreeColumns {
  const float* mass = nullptr;
  std::array<const float*, 3> light{};
  const float* radius = nullptr;  // smoothing lengths, in any unit
};

struct OctreeCounts {
  std::uint32_t bodies = 0, nodes = 0, leaves = 0;
  // Nodes that the build took from its store, those included that it could not use.
  std::uint64_t taken = 0;
  // Leaves on the deepest level with more bodies than the leaf size, and the most bodies in one.
  std::uint32_t crowded_leaves = 0, largest_leaf = 0;
  // Bodies whose mass is negative or no number: they count as bodies, with no mass.
  std::uint32_t bad_masses = 0;
};

// A tree in host memory.
struct OctreeCopy {
  std::vector<std::uint32_t> order, node_begin, node_count, leaf_begin;
  std::vector<OctreeNode> nodes;
  std::vector<OctreeSums> node_sums, leaf_sums;
  std::vector<std::uint32_t> level_begin;
};

// A tree that stays where it was built. Nothing of it changes.
class Octree {
 public:
  virtual ~Octree() = default;

  virtual Device device() const = 0;
  // Where device() reads it. `order` has indices into the points that the tree was built over.
  virtual OctreeView view() const = 0;
  virtual OctreeCounts counts() const = 0;
  virtual OctreeCopy copy() const = 0;
};

// Builds trees over one set of points.
class OctreeBuilder {
 public:
  virtual ~OctreeBuilder() = default;

  // Takes three arrays of `count` coordinates. Throws Error for more than kMostOctreeBodies.
  virtual void set_points(const std::array<const std::uint32_t*, 3>& position,
                          std::uint64_t count) = 0;
  // Takes points that are on the device already.
  virtual void set_points(std::shared_ptr<const PointSet> set) = 0;
  // Of the points that were set before; copied.
  virtual void set_columns(const OctreeColumns& columns) = 0;

  // Adds milliseconds of its phases to `timings`: keys, sort, build (or insert, number), sums.
  // Throws Error for options out of range, and where memory does not hold the tree.
  virtual std::shared_ptr<const Octree> build(const OctreeOptions& options,
                                              Timings* timings = nullptr) = 0;
};

// Building ends with Cancelled when `progress`, which outlives the builder, was cancelled; a GPU
// looks at it between phases. Null: it goes on to its end.
std::unique_ptr<OctreeBuilder> make_cpu_octree_builder(const Progress* progress = nullptr);
std::unique_ptr<OctreeBuilder> make_cuda_octree_builder(
    Device device, const Progress* progress = nullptr);  // throws Error

inline std::unique_ptr<OctreeBuilder> make_octree_builder(Device device,
                                                          const Progress* progress = nullptr) {
  return device.is_gpu() ? make_cuda_octree_builder(device, progress)
                         : make_cpu_octree_builder(progress);
}

}  // namespace haloscope::compute::spatial
