#pragma once

#include "compute/clusters/condensed_tree.h"
#include "compute/clusters/hdbscan.h"
#include "compute/clusters/spanning_tree.h"
#include "compute/exec/device.h"
#include "compute/exec/resident_labels.h"
#include "compute/hierarchy/dendrogram.h"
#include "compute/hierarchy/flat_cut.h"
#include "compute/spatial/points.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace haloscope::compute::clusters {

// The hierarchy of points on one device: their minimum spanning tree and its dendrogram, which stay
// there.
class ClusterTree {
 public:
  virtual ~ClusterTree() = default;

  // Makes the tree of points whose columns are on the host. Borůvka's rounds (1926), in which a
  // list of each point's nearest neighbors answers most of what is asked and says where it cannot,
  // so that only the rest is searched for in a tree of boxes. The tree depends on the points alone;
  // `work` may differ from run to run. Adds the time of its phases to `timings`, from positions on
  // the device on. Throws Error for more than hierarchy::kMostPoints, more samples than
  // kMostSamples or points, more than kMostDimensions dimensions, and where memory runs out; then
  // there is no tree. Throws Cancelled.
  virtual void grow(const LatticePoints& points, const SpanningTreeSettings& settings,
                    Timings* timings = nullptr, SpanningTreeWork* work = nullptr) = 0;
  // The same for points that are on the device already; rows of several sets are counted on from
  // one to the next.
  virtual void grow(std::vector<std::shared_ptr<const spatial::PointSet>> sets,
                    const SpanningTreeSettings& settings, Timings* timings = nullptr,
                    SpanningTreeWork* work = nullptr) = 0;

  // Takes a tree that was made elsewhere, and makes its dendrogram: in place of growing it.
  virtual void take(const SpanningTree& tree, Timings* timings = nullptr) = 0;

  // Copies to the host.
  virtual SpanningTree spanning_tree() const = 0;
  virtual hierarchy::Dendrogram dendrogram() const = 0;

  // Cuts the tree where it is, as hierarchy::flat_cut() says, and keeps the labels there until the
  // next cut. Returns the number of clusters.
  virtual std::uint32_t cut(std::uint32_t ranks, std::uint64_t least_members) = 0;
  virtual hierarchy::FlatCut last_cut() const = 0;  // copies to the host
  // Its labels, which stay where they are as long as anybody keeps them, and its numbers of
  // members.
  virtual std::shared_ptr<const ResidentLabels> labels_of_cut() const = 0;
  virtual std::vector<std::uint64_t> members_of_cut() const = 0;
  // Gives up all that cuts can do without: 12 bytes per point stay, and 4 for each cut whose labels
  // are kept. Nothing else may be asked then, but to grow another tree.
  virtual void keep_cuts_alone() = 0;

  // Condenses the tree where it is, as condense() does (condensed_tree.h), and keeps the result
  // there until the next tree. Heights are `step` times what the tree measures in lattice steps.
  // All points weigh 1, and the least size is 2 or more. Returns what a selection asks for.
  virtual const ClusterTotals& condense(std::uint32_t min_cluster_size, double step) = 0;
  virtual const ClusterTotals& totals() const = 0;   // of the last one
  virtual CondensedTree last_condensed() const = 0;  // copies to the host

  // Labels all points where the condensed tree is, as select_clusters() does (hdbscan.h), and keeps
  // the labels there until the next ones. Returns the number of clusters.
  virtual std::uint32_t label(const ChosenClusters& chosen) = 0;
  virtual HdbscanClusters last_labels() const = 0;  // copies to the host

  // The most bytes that this process held at once in the device's memory pool; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
};

// `progress` outlives it.
std::unique_ptr<ClusterTree> make_cluster_tree(Device device, Progress& progress);

std::unique_ptr<ClusterTree> make_cpu_cluster_tree(Progress& progress);
std::unique_ptr<ClusterTree> make_cuda_cluster_tree(Device device, Progress& progress);

// Throws Error unless a tree can be made of so many points.
void require_tree(std::uint64_t points, std::size_t dimensions,
                  const SpanningTreeSettings& settings);
// The same for columns of different steps.
void require_shift(const LatticePoints& points);

}  // namespace haloscope::compute::clusters
