#pragma once

#include "compute/exec/device.h"
#include "compute/spatial/points.h"
#include "core/domain.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// Friends-of-friends and DBSCAN.
namespace haloscope::compute::clusters {

inline constexpr std::uint32_t kNoise = ~0u;

// How clusters are found; all give the same labels.
enum class Algorithm {
  Auto,      // Grid where it is possible, else DenseBox for long lengths, FdbScan for short ones
  FdbScan,   // a tree over all points
  DenseBox,  // a tree over dense cells and the points between them
  Grid       // cells and no tree, for lengths of about 3e-5 to 0.2 of the domain's side
};

struct ClusterSettings {
  double linking_length = 0;  // world length; a pair at exactly this distance is linked
  // DBSCAN's minPts (Ester et al. 1996): a core point has at least so many points, itself included,
  // within the linking length. With 2, clusters are friends-of-friends groups of two or more.
  int min_points = 2;
  Algorithm algorithm = Algorithm::Auto;
  bool keep_core = false;  // for copy_core()
};

// Labels points that stay where they are between runs: file order, fixed point.
class Clustering {
 public:
  virtual ~Clustering() = default;

  // Throws Error with the figures where `count` points cannot be clustered in the executor's free
  // memory by an algorithm (Auto: by the grid). For asking before they are read.
  virtual void require_memory(std::uint64_t count, Algorithm algorithm = Algorithm::Auto) const = 0;
  // Bytes that setting `count` points and a run take at most, on the executor (Auto: by the grid).
  virtual std::uint64_t memory(std::uint64_t count,
                               Algorithm algorithm = Algorithm::Auto) const = 0;

  // Takes a copy of three arrays of `count` < 2³² − 1 coordinates in `domain`.
  virtual void set_points(const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
                          std::uint64_t count) = 0;

  // Takes points that are on the executor's device already and stay there: fewer than 2³² − 1 in
  // sets of one domain. A point's index is its row, behind those of the sets before its own.
  // Several sets are copied together while a run takes them, 12 B per point. The grid takes 32 B
  // per point beside them, and 4 B per row of its cells; up to 35 B where there are more than two
  // rows to a point, which then have no table.
  virtual void set_points(std::vector<std::shared_ptr<const spatial::PointSet>> sets) = 0;

  // For each point the smallest index of a core point of its cluster, or kNoise; a border point
  // belongs to its core neighbor with the smallest index, so that the result depends on nothing
  // but the points. Throws Error for a length that is not positive, min_points below 2, a length
  // that Algorithm::Grid cannot do, or more points than the tree of another one can hold (2³¹), and
  // where memory runs out: points may then have to be set once more.
  // Adds milliseconds of keys, sort, build, core, link, border and label to `timings`.
  virtual void run(const ClusterSettings& settings, Timings& timings) = 0;
  // One for each point; all kNoise before a run.
  virtual void copy_labels(std::uint32_t* to) const = 0;
  std::vector<std::uint32_t> labels() const {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(count()));
    copy_labels(all.data());
    return all;
  }
  // 1 for each core point, 0 for others, after a run with min_points above 2 and keep_core. Such a
  // run takes a byte per point more.
  virtual void copy_core(std::uint8_t* to) const = 0;
  // The labels where the executor's device reads them, until the next run or points; null before a
  // run.
  virtual const std::uint32_t* resident_labels() const = 0;
  virtual std::uint64_t count() const = 0;  // of the points

  // The most bytes that this process held at once on the device; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
};

std::unique_ptr<Clustering> make_cpu_clustering();
std::unique_ptr<Clustering> make_cuda_clustering(Device device);  // throws Error without that GPU

inline std::unique_ptr<Clustering> make_clustering(Device device) {
  return device.is_gpu() ? make_cuda_clustering(device) : make_cpu_clustering();
}

}  // namespace haloscope::compute::clusters
