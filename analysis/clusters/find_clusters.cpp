#include "analysis/clusters/find_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/option_parsing/option_error.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/cuslink.h"
#include "compute/clusters/hdbscan.h"
#include "compute/clusters/point_weights.h"
#include "compute/distributed/tree_over_ranks.h"
#include "compute/exec/named_range.h"
#include "compute/exec/ranks.h"
#include "compute/hierarchy/flat_cut.h"
#include "core/array.h"
#include "core/error.h"
#include "core/host_memory.h"
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

// `tree` stays on the device, for those who select its clusters; of rows there is none.
std::shared_ptr<ClusterHierarchy> grow(const ClusterPoints& points, const ClustersOptions& options,
                                       compute::Device device, Progress& progress,
                                       compute::Ranks& ranks,
                                       std::unique_ptr<clusters::ClusterTree>& tree) {
  auto hierarchy = std::make_shared<ClusterHierarchy>();
  hierarchy->step = points.step;
  hierarchy->length_unit = points.length_unit;
  hierarchy->numbering = points.numbering;
  hierarchy->types = points.types;
  hierarchy->mean_spacing = points.spacing;
  hierarchy->spacing_is_rough = points.spacing_is_rough;
  if (!points.weights.empty()) {
    clusters::PointWeights weights = clusters::weights_in_means(points.weights);
    hierarchy->weight = std::move(weights.of);
    hierarchy->mean_weight = weights.mean;
  }
  if (points.rows.count > 0) {
    require_neighbors(neighbors_of(points.rows.count, options), clusters::kMostCuslinkNeighbors);
    link_rows(points, options, device, progress, *hierarchy);
    return hierarchy;
  }
  tree = clusters::make_cluster_tree(device, progress);
  const std::uint32_t neighbors = neighbors_of(points.count(), options);
  require_neighbors(neighbors, clusters::SpanningTreeSettings::kMostGraphNeighbors);
  const clusters::SpanningTreeSettings settings{options.samples(), int(neighbors)};
  clusters::SpanningTreeWork work;
  clusters::SpanningTreeWork* const asked = neighbors > 0 ? &work : nullptr;
  compute::distributed::TreeOverRanksWork over_ranks;
  if (ranks.size() > 1)
    tree->take(compute::distributed::span_over_ranks(ranks, &points.columns, settings, device,
                                                     progress, hierarchy->timings, &over_ranks),
               &hierarchy->timings);
  else if (points.sets.empty())
    tree->grow(points.columns, settings, &hierarchy->timings, asked);
  else
    tree->grow(points.sets, settings, &hierarchy->timings, asked);
  hierarchy->graph_neighbors = neighbors;
  hierarchy->graph_trees = work.graph_trees;
  hierarchy->tree = tree->spanning_tree();
  hierarchy->dendrogram = tree->dendrogram();
  hierarchy->peak_device_memory = std::max(tree->peak_device_memory(), over_ranks.device_bytes);
  hierarchy->height.reserve(hierarchy->tree.squared_weight.size());
  for (const std::uint64_t squared : hierarchy->tree.squared_weight)
    hierarchy->height.push_back(std::sqrt(double(squared)) * points.step);
  return hierarchy;
}

// Returns false, and has done nothing, where the tree is not on a GPU, or no room is left there:
// the host has it too.
bool cut_on_gpu(std::uint32_t edges, const ClustersOptions& options, bool labels_stay,
                FoundClusters& found) {
  LiveCuts* const cuts = found.hierarchy->cuts.get();
  if (!cuts) return false;
  try {
    LiveCuts::Cut made = cuts->cut(edges, options.least_members());
    if (!labels_stay) found.label = made.labels->download();
    found.members = std::move(made.members);
    found.resident = std::move(made.labels);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// `on_gpu_alone`: labels stay there, if that is where the tree is cut.
void cut(const ClustersOptions& options, const std::function<double()>& mean_spacing,
         bool on_gpu_alone, FoundClusters& found) {
  const CutEdges at = edges_of_cut(parse_cut(options.cut), *found.hierarchy, mean_spacing);
  found.cut_height = at.height;
  static_assert(compute::hierarchy::kNone == Labels::kNone);
  if (cut_on_gpu(at.edges, options, on_gpu_alone, found)) return;
  compute::hierarchy::FlatCut flat =
      compute::hierarchy::flat_cut(found.hierarchy->dendrogram, at.edges, options.least_members());
  found.label = std::move(flat.label);
  found.members = std::move(flat.members);
}

// HDBSCAN*'s own clusters, of one least size or of those that are chosen.
class ClusterSelection {
 public:
  // All outlive it; `found` has the hierarchy, and `tree` is that of it, or null.
  ClusterSelection(const ClustersOptions& options, FoundClusters& found,
                   clusters::ClusterTree* tree)
      : options_(options),
        hierarchy_(*found.hierarchy),
        found_(found),
        tree_(is_weighted() ? nullptr : tree) {}

  void run() {
    if (!options_.chooses_size())
      keep(select());
    else
      choose();
    if (!is_weighted()) return;
    found_.mean_weight = hierarchy_.mean_weight;
    found_.weight.assign(found_.members.size(), 0);
    for (std::size_t p = 0; p < hierarchy_.weight.size(); ++p)
      if (found_.label[p] != Labels::kNone) found_.weight[found_.label[p]] += hierarchy_.weight[p];
  }

 private:
  bool is_weighted() const { return !options_.weights.empty(); }

  void condense(double least) {
    found_.condensed.reset();
    if (tree_) {
      tree_->condense(std::uint32_t(std::ceil(least)), hierarchy_.step);
      found_.condensed = std::make_shared<const clusters::CondensedTree>(tree_->last_condensed());
      return;
    }
    found_.condensed = std::make_shared<const clusters::CondensedTree>(
        clusters::condense(hierarchy_.dendrogram, hierarchy_.height, least,
                           is_weighted() ? hierarchy_.weight : std::vector<double>{}));
  }

  void choose() {
    SizeChoice sizes;
    const double below = double(options_.least_members()) - 1;
    condense(std::nextafter(below, HUGE_VAL));
    sizes.ranges = clusters::size_ranges(*found_.condensed, below);
    const std::vector<std::size_t> best =
        clusters::most_persistent(sizes.ranges, std::size_t(options_.resolutions.value_or(1)));
    // The tree of the best size stays, for it comes last.
    for (std::size_t k = best.size(); k-- > 0;) add_resolution(sizes.ranges[best[k]], sizes);
    if (best.empty()) keep(select());
    std::reverse(sizes.resolutions.begin(), sizes.resolutions.end());
    std::reverse(found_.resolutions.begin(), found_.resolutions.end());
    found_.sizes = std::make_shared<const SizeChoice>(std::move(sizes));
  }

  clusters::HdbscanClusters select() {
    condense(found_.least);
    clusters::HdbscanSettings settings;
    settings.selection = options_.selected();
    settings.allow_single_cluster = options_.allow_single_cluster;
    settings.max_cluster_size = options_.max_cluster_size;
    settings.epsilon = options_.epsilon.value_or(0);
    if (!tree_) return clusters::select_clusters(*found_.condensed, settings);
    tree_->label(clusters::choose_clusters(tree_->totals(), settings));
    return tree_->last_labels();
  }

  void add_resolution(const clusters::SizeRange& range, SizeChoice& sizes) {
    found_.least = range.usual_size();
    clusters::HdbscanClusters selected = select();
    sizes.resolutions.push_back({found_.least, range, selected.cluster.size()});
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
  const ClusterHierarchy& hierarchy_;
  FoundClusters& found_;
  clusters::ClusterTree* tree_;
};

// `tree`: that of the hierarchy, where there still is one.
FoundClusters clusters_of(std::shared_ptr<const ClusterHierarchy> hierarchy,
                          const ClustersOptions& options,
                          const std::function<double()>& mean_spacing, clusters::ClusterTree* tree,
                          bool on_gpu_alone) {
  FoundClusters found;
  found.hierarchy = std::move(hierarchy);
  found.least = double(options.least_members());
  if (!options.cut.empty())
    cut(options, mean_spacing, on_gpu_alone, found);
  else if (options.selects())
    ClusterSelection(options, found, tree).run();
  return found;
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

void require_memory_to_write(std::uint64_t points, const ClustersOptions& options, bool linkage,
                             const std::string& remedy) {
  require_host_memory(bytes_kept(points) + bytes_of_extras(points, options) +
                          bytes_of_writing(points, options, linkage),
                      fmt::format("the clusters of {} points and their files", points), remedy);
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
  return clusters_of(std::move(hierarchy), options, mean_spacing, nullptr, true);
}

FoundClusters find_clusters(const ClusterPoints& points, const ClustersOptions& options,
                            compute::Device device, Progress& progress,
                            std::shared_ptr<const ClusterHierarchy> known, compute::Ranks* ranks) {
  const std::uint64_t count = points.count();
  require_points(count, options);
  // Other ranks wait for their part of a new tree.
  const bool alone = !ranks || ranks->size() == 1;
  if (known && known->tree.points == count && alone) {
    progress.report("clusters", 0);
    return clusters_of(std::move(known), options, points.mean_spacing, nullptr, false);
  }
  require_host_memory(bytes_of_search(count, device) + bytes_of_graph(points, options, device) +
                          bytes_of_extras(count, options),
                      fmt::format("the tree of {} points", count).c_str());
  std::unique_ptr<clusters::ClusterTree> tree;
  const auto hierarchy =
      grow(points, options, device, progress, compute::ranks_or_alone(ranks), tree);
  const compute::TimedRange timer(hierarchy->timings, "clusters");
  progress.report("clusters", 0);
  // Where particles are drawn from a GPU, cuts of their tree stay there too.
  const bool stays = tree && device.is_gpu() && !points.sets.empty();
  const bool selects = options.cut.empty();
  if (stays && !selects) hierarchy->cuts = std::make_shared<LiveCuts>(std::move(tree));
  FoundClusters found = clusters_of(hierarchy, options, points.mean_spacing, tree.get(), false);
  if (stays && selects) hierarchy->cuts = std::make_shared<LiveCuts>(std::move(tree));
  return found;
}

void help_with_tree(compute::Ranks& ranks, compute::Device device, Progress& progress) {
  Timings unasked;
  compute::distributed::span_over_ranks(ranks, nullptr, {}, device, progress, unasked);
}

void require_for_ranks(const ClustersOptions& options, bool gpus_of_one_process) {
  if (options.method != TreeMethod::Cuslink) return;
  throw OptionError(fmt::format("several {} cannot make cuslink's tree yet",
                                gpus_of_one_process ? "GPUs" : "ranks"),
                    marked("method"),
                    gpus_of_one_process ? "take `method` exact, or leave --gpus out"
                                        : "take `method` exact, or start one process");
}

}  // namespace haloscope::analysis
