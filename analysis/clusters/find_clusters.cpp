#include "analysis/clusters/find_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/options/option_error.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/cuslink.h"
#include "compute/clusters/hdbscan.h"
#include "compute/exec/named_range.h"
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

// Tree 24, dendrogram 20, heights 8, condensed tree 12, labels 4, probabilities and scores 16.
constexpr std::uint64_t kKeptBytesPerPoint = 84;
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

// Components of at least so many points, by their smallest ones.
void label_components(const std::vector<std::uint32_t>& smallest, std::uint64_t least,
                      FoundClusters& found) {
  std::vector<std::uint32_t> size(smallest.size(), 0);
  for (const std::uint32_t first : smallest) ++size[first];
  found.label.resize(smallest.size());
  for (std::size_t p = 0; p < smallest.size(); ++p) {
    const std::uint32_t first = smallest[p];
    if (first != p) {
      found.label[p] = found.label[first];
      continue;
    }
    const bool enough = size[p] >= least;
    found.label[p] = enough ? std::uint32_t(found.members.size()) : Labels::kNone;
    if (enough) found.members.push_back(size[p]);
  }
}

void cut(const ClusterPoints& points, const ClustersOptions& options, FoundClusters& found) {
  const CutEdges at = edges_of_cut(parse_cut(options.cut), *found.hierarchy, points.mean_spacing);
  found.cut_height = at.height;
  label_components(compute::hierarchy::cut(found.hierarchy->dendrogram, at.edges),
                   options.least_members(), found);
}

void select(const ClustersOptions& options, ClusterHierarchy& hierarchy, FoundClusters& found) {
  const auto least = std::min<std::uint64_t>(options.least_members(), ~std::uint32_t(0));
  hierarchy.condensed =
      clusters::condense(hierarchy.dendrogram, hierarchy.height, std::uint32_t(least));
  clusters::HdbscanSettings settings;
  settings.selection = options.selection;
  settings.allow_single_cluster = options.allow_single_cluster;
  settings.max_cluster_size = options.max_cluster_size;
  settings.epsilon = options.epsilon.value_or(0);
  clusters::HdbscanClusters selected = clusters::select_clusters(*hierarchy.condensed, settings);
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

FoundClusters find_clusters(const ClusterPoints& points, const ClustersOptions& options,
                            compute::Device device, Progress& progress) {
  const std::uint64_t count = points.count();
  require_points(count, options);
  require_host_memory(bytes_of_search(count, device) + bytes_of_graph(points, options, device),
                      fmt::format("the tree of {} points", count).c_str());
  FoundClusters found;
  const auto hierarchy = grow(points, options, device, progress);
  found.hierarchy = hierarchy;
  const compute::TimedRange timer(hierarchy->timings, "clusters");
  progress.report("clusters", 0);
  if (!options.cut.empty())
    cut(points, options, found);
  else if (options.selects())
    select(options, *hierarchy, found);
  return found;
}

}  // namespace haloscope::analysis
