#include "analysis/clusters/find_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/options/option_error.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/cuslink.h"
#include "compute/clusters/hdbscan.h"
#include "compute/exec/named_range.h"
#include "compute/hierarchy/flat_cut.h"
#include "core/array.h"
#include "core/error.h"
#include "core/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haloscope::analysis {

namespace {

namespace clusters = compute::clusters;

// Tree 24, dendrogram 20, heights 8, condensed tree 12, labels 4, those of branches 4,
// probabilities and scores 16.
constexpr std::uint64_t kKeptBytesPerPoint = 88;
// Beside them: while the condensed tree is made, and on the CPU while the tree is.
constexpr std::uint64_t kCondensingBytesPerPoint = 32, kGrowingBytesPerPoint = 100;
// Of a row of the condensed tree, where a point leaves, and of one of the linkage matrix. Clusters
// of the condensed tree have rows too: fewer than points by their least size.
constexpr std::uint64_t kCondensedRowBytes = 32, kLinkageRowBytes = 32;

// cuSLINK's number of neighbors.
std::uint32_t neighbors_of(std::uint64_t points, const ClustersOptions& options) {
  if (options.method != TreeMethod::Cuslink) return 0;
  return options.neighbors ? std::uint32_t(*options.neighbors)
                           : clusters::default_cuslink_neighbors(points);
}

// Of cuSLINK's graph, and of rows that are turned for it.
std::uint64_t bytes_of_graph(const ClusterPoints& points, const ClustersOptions& options,
                             compute::Device device) {
  if (options.method != TreeMethod::Cuslink || device.is_gpu()) return 0;
  const std::uint64_t listed = std::max<std::uint64_t>(neighbors_of(points.count(), options),
                                                       std::uint64_t(options.samples()));
  return points.count() * 8 * listed +
         std::uint64_t(points.rows.count) * points.rows.dimensions * sizeof(float);
}

void require_neighbors(std::uint32_t k, std::uint32_t most) {
  if (k > most) throw OptionError(fmt::format("{} must be {} or less here", marked("k"), most));
}

void link_rows(const ClusterPoints& points, const ClustersOptions& options, compute::Device device,
               Progress& progress, ClusterHierarchy& hierarchy) {
  clusters::CuslinkTree made = clusters::make_cuslink_tree(
      device, points.rows,
      {neighbors_of(points.rows.count, options), std::uint32_t(options.samples())}, progress,
      &hierarchy.timings);
  hierarchy.tree.points = points.rows.count;
  hierarchy.tree.a = std::move(made.edges.a);
  hierarchy.tree.b = std::move(made.edges.b);
  hierarchy.dendrogram = std::move(made.dendrogram);
  hierarchy.height.assign(made.weight.begin(), made.weight.end());
  hierarchy.graph_neighbors = made.neighbors;
  hierarchy.graph_trees = made.graph_trees;
  hierarchy.peak_device_memory = made.device_memory;
}

std::shared_ptr<ClusterHierarchy> grow(const ClusterPoints& points, const ClustersOptions& options,
                                       compute::Device device, Progress& progress) {
  auto hierarchy = std::make_shared<ClusterHierarchy>();
  hierarchy->step = points.step;
  hierarchy->length_unit = points.length_unit;
  hierarchy->numbering = points.numbering;
  hierarchy->types = points.types;
  hierarchy->mean_spacing = points.spacing;
  hierarchy->spacing_is_rough = points.spacing_is_rough;
  if (points.rows.count > 0) {
    require_neighbors(neighbors_of(points.rows.count, options), clusters::kMostCuslinkNeighbors);
    link_rows(points, options, device, progress, *hierarchy);
    return hierarchy;
  }
  const auto tree = clusters::make_cluster_tree(device, progress);
  const std::uint32_t neighbors = neighbors_of(points.count(), options);
  require_neighbors(neighbors, clusters::SpanningTreeSettings::kMostGraphNeighbors);
  const clusters::SpanningTreeSettings settings{options.samples(), int(neighbors)};
  clusters::SpanningTreeWork work;
  clusters::SpanningTreeWork* const asked = neighbors > 0 ? &work : nullptr;
  if (points.sets.empty())
    tree->grow(points.columns, settings, &hierarchy->timings, asked);
  else
    tree->grow(points.sets, settings, &hierarchy->timings, asked);
  hierarchy->graph_neighbors = neighbors;
  hierarchy->graph_trees = work.graph_trees;
  hierarchy->tree = tree->spanning_tree();
  hierarchy->dendrogram = tree->dendrogram();
  hierarchy->peak_device_memory = tree->peak_device_memory();
  hierarchy->height.reserve(hierarchy->tree.squared_weight.size());
  for (const std::uint64_t squared : hierarchy->tree.squared_weight)
    hierarchy->height.push_back(std::sqrt(double(squared)) * points.step);
  return hierarchy;
}

void cut(const ClustersOptions& options, const std::function<double()>& mean_spacing,
         FoundClusters& found) {
  const CutEdges at = edges_of_cut(parse_cut(options.cut), *found.hierarchy, mean_spacing);
  found.cut_height = at.height;
  static_assert(compute::hierarchy::kNone == Labels::kNone);
  compute::hierarchy::FlatCut flat =
      compute::hierarchy::flat_cut(found.hierarchy->dendrogram, at.edges, options.least_members());
  found.label = std::move(flat.label);
  found.members = std::move(flat.members);
}

void select(const ClustersOptions& options, FoundClusters& found) {
  const auto least = std::min<std::uint64_t>(options.least_members(), ~std::uint32_t(0));
  found.condensed = std::make_shared<const clusters::CondensedTree>(clusters::condense(
      found.hierarchy->dendrogram, found.hierarchy->height, std::uint32_t(least)));
  clusters::HdbscanSettings settings;
  settings.selection = options.selection;
  settings.allow_single_cluster = options.allow_single_cluster;
  settings.max_cluster_size = options.max_cluster_size;
  settings.epsilon = options.epsilon.value_or(0);
  clusters::HdbscanClusters selected = clusters::select_clusters(*found.condensed, settings);
  static_assert(clusters::kNoCluster == Labels::kNone);
  found.members.assign(selected.cluster.size(), 0);
  for (const std::uint32_t label : selected.label)
    if (label != Labels::kNone) ++found.members[label];
  found.label = std::move(selected.label);
  found.probability = std::move(selected.probability);
  found.outlier_score = std::move(selected.outlier_score);
  found.persistence = std::move(selected.persistence);
  found.node = std::move(selected.cluster);
}

}  // namespace

std::uint64_t ClusterPoints::count() const {
  std::uint64_t sum = columns.count + rows.count;
  for (const auto& set : sets) sum += set->count();
  return sum;
}

std::uint64_t bytes_of_search(std::uint64_t points, compute::Device device) {
  return points * (kKeptBytesPerPoint +
                   (device.is_gpu() ? kCondensingBytesPerPoint : kGrowingBytesPerPoint));
}

std::uint64_t bytes_kept(std::uint64_t points) {
  return points * kKeptBytesPerPoint;
}

std::uint64_t bytes_of_writing(std::uint64_t points, const ClustersOptions& options, bool linkage) {
  std::uint64_t bytes = linkage ? points * kLinkageRowBytes : 0;
  // Of a tree with two leaves at every split there are as many splits as leaves.
  if (options.selects())
    bytes += (points + 2 * (points / options.least_members())) * kCondensedRowBytes;
  return bytes;
}

void require_memory_to_write(std::uint64_t points, const ClustersOptions& options, bool linkage) {
  require_host_memory(bytes_kept(points) + bytes_of_writing(points, options, linkage),
                      fmt::format("the clusters of {} points and their files", points).c_str());
}

void require_points(std::uint64_t count, const ClustersOptions& options) {
  if (count == 0) throw Error("there are no points", "clusters", "choose others");
  if (std::uint64_t(options.samples()) > count)
    throw OptionError(
        fmt::format("a core point shall have {} neighbors, itself counted, and there "
                    "{} {} point{}",
                    options.samples(), count == 1 ? "is" : "are", count, count == 1 ? "" : "s"),
        marked("min_samples"), "ask for fewer");
  if (options.method == TreeMethod::Cuslink) {
    const std::uint64_t k = options.neighbors.value_or(neighbors_of(count, options));
    if (k >= count && count > 1)
      throw OptionError(
          fmt::format("each point shall have {} neighbors, and there are {} points", k, count),
          marked("k"), "ask for fewer");
  }
  if (!options.cut.empty()) check_cut(parse_cut(options.cut), count);
}

FoundClusters clusters_of_tree(std::shared_ptr<const ClusterHierarchy> hierarchy,
                               const ClustersOptions& options,
                               const std::function<double()>& mean_spacing) {
  FoundClusters found;
  found.hierarchy = std::move(hierarchy);
  if (!options.cut.empty())
    cut(options, mean_spacing, found);
  else if (options.selects())
    select(options, found);
  return found;
}

FoundClusters find_clusters(const ClusterPoints& points, const ClustersOptions& options,
                            compute::Device device, Progress& progress,
                            std::shared_ptr<const ClusterHierarchy> known) {
  const std::uint64_t count = points.count();
  require_points(count, options);
  if (known && known->tree.points == count) {
    progress.report("clusters", 0);
    return clusters_of_tree(std::move(known), options, points.mean_spacing);
  }
  require_host_memory(bytes_of_search(count, device) + bytes_of_graph(points, options, device),
                      fmt::format("the tree of {} points", count).c_str());
  const auto hierarchy = grow(points, options, device, progress);
  const compute::TimedRange timer(hierarchy->timings, "clusters");
  progress.report("clusters", 0);
  return clusters_of_tree(hierarchy, options, points.mean_spacing);
}

}  // namespace haloscope::analysis
