#pragma once

#include "analysis/option_parsing/option_about.h"
#include "compute/clusters/hdbscan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Which distances the tree joins points by.
enum class Linkage {
  Hdbscan,  // mutual reachability: that of the points, but at least the core distance of either
  Single    // that of the points
};

// How the tree is found.
enum class TreeMethod {
  Exact,   // the minimum spanning tree
  Cuslink  // from a graph of nearest neighbors (Nolet et al. 2023), in any number of dimensions
};

// What a search for clusters is asked, of a snapshot and of a bare table alike.
struct ClustersOptions {
  std::vector<std::string> types;  // of a snapshot; empty: dark matter, or what there is most of
  std::string space;               // of a snapshot, cluster_space.h; empty: positions
  // What quantities of the space are divided by, or columns of a table; empty: a space's
  // dispersions, a table's columns as they are.
  std::string scale;
  Linkage linkage = Linkage::Hdbscan;
  TreeMethod method = TreeMethod::Exact;
  // Of each point in cuslink's graph, itself not counted; default: ⌊log₂ n⌋ + 15.
  std::optional<std::uint64_t> neighbors;
  // Of core distances, the point itself counted; default: 5.
  std::optional<int> min_samples;
  // Default: 20; of a cut: none; kAutoSize: chosen from the tree
  // (compute/clusters/cluster_sizes.h).
  std::optional<std::uint64_t> min_cluster_size;
  // So many of the best sizes are written; none: labels of the best one alone.
  std::optional<std::uint64_t> resolutions;
  // What points count by: of a snapshot "mass", of a table a column; empty: all alike.
  std::string weights;
  std::uint64_t max_cluster_size = 0;  // 0: no limit
  std::optional<double> epsilon;       // a length, 0 where there is none
  bool allow_single_cluster = false;
  compute::clusters::Selection selection = compute::clusters::Selection::ExcessOfMass;
  std::string cut;                  // cluster_cut.h; empty: HDBSCAN*'s own clusters
  std::optional<double> softening;  // of gravity, Plummer equivalent, in the file's own lengths

  static constexpr int kMinSamples = 5;
  static constexpr std::uint64_t kMinClusterSize = 20;
  static constexpr std::uint64_t kAutoSize = 0;
  static constexpr std::uint64_t kMostResolutions = 100;

  // Of the tree: single linkage is that in which every point is a core point.
  int samples() const { return linkage == Linkage::Single ? 1 : min_samples.value_or(kMinSamples); }
  // Whether heights are distances of points: the nearest other point is no farther than any.
  bool has_plain_distances() const { return samples() <= 2; }
  bool selects() const { return cut.empty() && linkage == Linkage::Hdbscan; }
  // Single linkage without a cut is the tree alone.
  bool has_clusters() const { return !cut.empty() || linkage == Linkage::Hdbscan; }
  bool chooses_size() const { return min_cluster_size == kAutoSize; }
  // Sizes are chosen for the clusters that do not split.
  compute::clusters::Selection selected() const {
    return chooses_size() ? compute::clusters::Selection::Leaf : selection;
  }
  // The fewest points of a cluster; where the size is chosen, of those that are tried. Clusters of
  // fewer points than make a core point are chance.
  std::uint64_t least_members() const {
    if (chooses_size()) return std::uint64_t(std::max(2, samples()));
    return min_cluster_size.value_or(cut.empty() ? kMinClusterSize : 1);
  }
  bool operator==(const ClustersOptions&) const = default;
};

template <class V>
void visit(V& v, ClustersOptions& o) {
  using compute::clusters::Selection;
  v.types("types", o.types,
          {.value = "dm,…|1,…",
           .help = "Particles that are clustered; default: dark matter",
           .label = "Types",
           .empty = "auto",
           .hint = "dark matter"});
  v.text("space", o.space,
         {.value = "positions|phase|FIELD,…",
          .help = "What clusters are close in: phase is positions and velocities, each divided by "
                  "its dispersion",
          .label = "Space",
          .empty = "positions",
          .hint = "positions, phase",
          .catalog_name = "space"});
  v.text("scale", o.scale,
         {.value = "NUMBER,…",
          .help = "What to divide by instead: a length and a velocity, one number per field, or "
                  "per column of a table",
          .label = "Divided by",
          .empty = "dispersion",
          .hint = "dispersion"});
  v.choice("linkage", o.linkage, {{"hdbscan", Linkage::Hdbscan}, {"single", Linkage::Single}},
           {.value = "hdbscan|single",
            .help = "Distances of the tree: mutual reachability, or those of the points",
            .label = "Linkage",
            .catalog_name = "linkage"});
  v.choice("method", o.method, {{"exact", TreeMethod::Exact}, {"cuslink", TreeMethod::Cuslink}},
           {.value = "exact|cuslink",
            .help = "The minimum spanning tree, or cuSLINK's, from a graph of nearest neighbors: "
                    "for tables of many columns",
            .label = "Method",
            .catalog_name = "method"});
  v.count("k", o.neighbors, 1,
          {.help = "Neighbors of each point in cuslink's graph; default: 15 and the logarithm to "
                   "base 2 of the number of points",
           .label = "Neighbors",
           .hint = "15 + log2 of all",
           .usual = 2});
  v.count("min_samples", o.min_samples, 1,
          {.help = "Neighbors that make a core point, itself counted; default: 5",
           .label = "Samples",
           .hint = "5",
           .usual = 2});
  v.count("min_cluster_size", o.min_cluster_size, 2,
          {.value = "N|auto",
           .help = "Fewest points of a cluster; default: 20, of a cut none; auto: the size whose "
                   "leaf clusters persist most (PLSCAN)",
           .label = "Min. members",
           .hint = "20, of a cut 1",
           .zero = "auto",
           .usual = 1});
  v.count("resolutions", o.resolutions, 1,
          {.help = "Where the size is chosen, write the labels of the N most persistent sizes too",
           .label = "Resolutions",
           .hint = "1",
           .catalog_name = "resolutions"});
  v.text("weights", o.weights,
         {.value = "mass|COLUMN",
          .help = "What particles count by, or a table's column by its name or number from 0: "
                  "sizes are sums in units of the mean",
          .label = "Weights",
          .empty = "none",
          .hint = "none, mass",
          .catalog_name = "weights"});
  v.count("max_cluster_size", o.max_cluster_size, 0,
          {.help = "Most points of a cluster that is selected by excess of mass; 0: no limit",
           .label = "Most members",
           .catalog_name = "maximum cluster size"});
  v.length("cluster_epsilon", o.epsilon,
           {.value = "LENGTH",
            .help = "Clusters that are closer than this length are joined",
            .label = "Taken together",
            .catalog_name = "cluster epsilon"});
  v.flag("allow_single_cluster", o.allow_single_cluster,
         {.help = "All points may be one cluster",
          .label = "One cluster may be all",
          .catalog_name = "allow single cluster"});
  v.choice("select", o.selection, {{"eom", Selection::ExcessOfMass}, {"leaf", Selection::Leaf}},
           {.value = "eom|leaf",
            .help = "Clusters by excess of mass, or those that do not split",
            .label = "Select",
            .catalog_name = "selection"});
  v.text("cut", o.cut,
         {.value = "distance:D|count:N|spacings:B",
          .help = "Clusters of one height in their place: a length, how many, or mean spacings",
          .label = "Cut",
          .empty = "none",
          .hint = "none, spacings:0.2, count:100",
          .usual = 3,
          .catalog_name = "cut"});
  v.length("softening", o.softening,
           {.value = "LENGTH",
            .help = "Of gravity, Plummer equivalent, in the file's own lengths; default: what the "
                    "snapshot notes",
            .label = "Softening"});
}

// Whether the tree that was made for `a` serves `b`, of the same points: they differ in what is
// taken from it alone. A tree keeps its points' weights, and without these serves as well.
bool have_one_tree(const ClustersOptions& a, const ClustersOptions& b);

// The options that cut the tree of these elsewhere: `where` as in parse_cut(), or "off" for no cut.
// Clusters have as many members at least as before, or `members`; where the size was chosen, a cut
// takes the least one that was tried. What chooses from clusters of all heights is left out, and
// weights, which a cut does not know. Throws OptionError for a text that is no cut.
ClustersOptions cut_elsewhere(const ClustersOptions& options, const std::string& where,
                              std::optional<std::uint64_t> members);

// Throws OptionError for options that no search can be asked for, and for those that say nothing
// beside the others.
void check_options(const ClustersOptions& options);

// Throws OptionError for options that ask for what a part of a snapshot does not have.
void require_whole(const ClustersOptions& options);

}  // namespace haloscope::analysis
