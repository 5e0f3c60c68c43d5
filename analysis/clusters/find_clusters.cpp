#include "analysis/clusters/find_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/options/option_error.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/cuslink.h"
#include "compute/clusters/hdbscan.h"
#include "compute/clusters/point_weights.h"
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
constexpr std::uint64_t kRowWeightBytes = 8;  // of a row of the condensed tree, where there are any
// Weights as they were given, in units of the mean, and in the tree with those of its edges.
constexpr std::uint64_t kWeightBytesPerPoint = 32;
// Labels of a resolution, by point and by row of the file.
constexpr std::uint64_t kResolutionBytesPerPoint = 8;

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
  found.least = double(options.least_members());
  label_components(compute::hierarchy::cut(found.hierarchy->dendrogram, at.edges),
                   options.least_members(), found);
}

class ClusterSelection {
 public:
  ClusterSelection(const ClustersOptions& options, std::vector<double> weights,
                   ClusterHierarchy& hierarchy, FoundClusters& found)
      : options_(options), weights_(std::move(weights)), hierarchy_(hierarchy), found_(found) {}

  void run() {
    std::vector<std::size_t> best;
    if (options_.chooses_size()) best = choose_size();
    // The tree of the first size stays.
    for (std::size_t k = best.size(); k-- > 0;) add_resolution(hierarchy_.size_ranges[best[k]]);
    if (best.empty()) {
      found_.least = double(options_.least_members());
      keep(select());
    }
    std::reverse(hierarchy_.resolutions.begin(), hierarchy_.resolutions.end());
    std::reverse(found_.resolutions.begin(), found_.resolutions.end());
    if (weights_.empty()) return;
    found_.weight.assign(found_.members.size(), 0);
    for (std::size_t p = 0; p < weights_.size(); ++p)
      if (found_.label[p] != Labels::kNone) found_.weight[found_.label[p]] += weights_[p];
  }

 private:
  void condense(double least) {
    hierarchy_.condensed.reset();
    hierarchy_.condensed =
        clusters::condense(hierarchy_.dendrogram, hierarchy_.height, least, weights_);
  }

  // The ranges of sizes that are most persistent, the best first.
  std::vector<std::size_t> choose_size() {
    const double below = double(options_.least_members()) - 1;
    condense(std::nextafter(below, HUGE_VAL));
    hierarchy_.size_ranges = clusters::size_ranges(*hierarchy_.condensed, below);
    return clusters::most_persistent(hierarchy_.size_ranges,
                                     std::size_t(options_.resolutions.value_or(1)));
  }

  clusters::HdbscanClusters select() {
    condense(found_.least);
    clusters::HdbscanSettings settings;
    settings.selection = options_.selected();
    settings.allow_single_cluster = options_.allow_single_cluster;
    settings.max_cluster_size = options_.max_cluster_size;
    settings.epsilon = options_.epsilon.value_or(0);
    return clusters::select_clusters(*hierarchy_.condensed, settings);
  }

  void add_resolution(const clusters::SizeRange& range) {
    found_.least = range.usual_size();
    clusters::HdbscanClusters selected = select();
    hierarchy_.resolutions.push_back({found_.least, range, selected.cluster.size()});
    if (options_.resolutions) found_.resolutions.push_back(selected.label);
    keep(std::move(selected));
  }

  void keep(clusters::HdbscanClusters selected) {
    static_assert(clusters::kNoCluster == Labels::kNone);
    found_.members.assign(selected.cluster.size(), 0);
    for (const std::uint32_t label : selected.label)
      if (label != Labels::kNone) ++found_.members[label];
    found_.label = std::move(selected.label);
    found_.probability = std::move(selected.probability);
    found_.outlier_score = std::move(selected.outlier_score);
    found_.persistence = std::move(selected.persistence);
    found_.node = std::move(selected.cluster);
  }

  const ClustersOptions& options_;
  std::vector<double> weights_;  // in units of the mean; empty: there are none
  ClusterHierarchy& hierarchy_;
  FoundClusters& found_;
};

void select(const ClusterPoints& points, const ClustersOptions& options,
            ClusterHierarchy& hierarchy, FoundClusters& found) {
  clusters::PointWeights weights;
  if (!points.weights.empty()) weights = clusters::weights_in_means(points.weights);
  found.mean_weight = weights.mean;
  ClusterSelection(options, std::move(weights.of), hierarchy, found).run();
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

std::uint64_t bytes_of_extras(std::uint64_t points, const ClustersOptions& options) {
  return points * ((options.weights.empty() ? 0 : kWeightBytesPerPoint) +
                   options.resolutions.value_or(0) * kResolutionBytesPerPoint);
}

std::uint64_t bytes_of_writing(std::uint64_t points, const ClustersOptions& options, bool linkage) {
  std::uint64_t bytes = linkage ? points * kLinkageRowBytes : 0;
  // Of a tree with two leaves at every split there are as many splits as leaves.
  if (options.selects())
    bytes += (points + 2 * (points / options.least_members())) *
             (kCondensedRowBytes + (options.weights.empty() ? 0 : kRowWeightBytes));
  return bytes;
}

void require_memory_to_write(std::uint64_t points, const ClustersOptions& options, bool linkage) {
  require_host_memory(bytes_kept(points) + bytes_of_extras(points, options) +
                          bytes_of_writing(points, options, linkage),
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
  require_host_memory(bytes_of_search(count, device) + bytes_of_graph(points, options, device) +
                          bytes_of_extras(count, options),
                      fmt::format("the tree of {} points", count).c_str());
  FoundClusters found;
  const auto hierarchy = grow(points, options, device, progress);
  found.hierarchy = hierarchy;
  const compute::TimedRange timer(hierarchy->timings, "clusters");
  progress.report("clusters", 0);
  if (!options.cut.empty())
    cut(points, options, found);
  else if (options.selects())
    select(points, options, *hierarchy, found);
  return found;
}

}  // namespace haloscope::analysis
