#include "analysis/clusters/cluster_words.h"

#include "analysis/option_parsing/option_values.h"
#include "core/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

namespace haloscope::analysis {

namespace {

bool is_whole_number(double size) {
  return size == std::floor(size);
}

std::string size_in_words(double size) {
  return is_whole_number(size) ? fmt::format("{:.0f}", size) : fmt::format("{:.6g}", size);
}

std::string choice_in_words(const SizeChoice& sizes) {
  if (sizes.resolutions.empty()) return "; nothing splits at any size";
  const SizeResolution& best = sizes.resolutions.front();
  std::string text = fmt::format("; {} was chosen, and all sizes up to {} have the same clusters",
                                 size_in_words(best.size), size_in_words(best.range.up_to));
  if (const std::size_t all = sizes.resolutions.size(); all > 1)
    text += fmt::format("; labels of {} sizes", all);
  return text;
}

void add_choice(const SizeChoice& sizes, CatalogProvenance& p) {
  p.parameters["selection"] = std::string("leaf");
  p.parameters["choice of the minimum cluster size"] =
      std::string("the leaf clusters' persistence over sizes (PLSCAN)");
  if (sizes.resolutions.empty()) return;
  const compute::clusters::SizeRange& range = sizes.resolutions.front().range;
  p.parameters["same clusters above the size"] = range.above;
  p.parameters["same clusters up to the size"] = range.up_to;
  p.parameters["persistence of the size"] = range.persistence;
}

}  // namespace

std::string graph_in_words(const ClusterHierarchy& hierarchy) {
  if (hierarchy.graph_neighbors == 0) return {};
  const std::uint64_t trees = hierarchy.graph_trees;
  return fmt::format(
      "The tree is not always the shortest: it comes from the graph of each point's {} nearest "
      "neighbors, which {}.",
      hierarchy.graph_neighbors,
      trees > 1
          ? fmt::format("falls into {} trees, joined by the shortest edges between them", trees)
          : std::string("is one tree"));
}

std::string clusters_in_words(const FoundClusters& found, const ClustersOptions& options,
                              const std::string& points) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  if (!options.has_clusters())
    return fmt::format(
        "the tree of {} {}, of heights up to {:.6g}; without a cut there are no "
        "clusters",
        hierarchy.tree.points, points, hierarchy.height.empty() ? 0 : hierarchy.height.back());
  const auto held = std::accumulate(found.members.begin(), found.members.end(), std::uint64_t(0));
  const std::uint64_t count = found.count();
  std::string text = fmt::format("{} cluster{}", count, count == 1 ? "" : "s");
  if (found.least > 1)
    text += fmt::format(" of {}{} or more", size_in_words(found.least),
                        found.mean_weight > 0 ? " mean weights" : "");
  text += fmt::format(" hold{} {} of {} {}", count == 1 ? "s" : "", held, hierarchy.tree.points,
                      points);
  if (found.cut_height) text += fmt::format("; cut at a height of {:.6g}", *found.cut_height);
  if (options.chooses_size()) text += choice_in_words(*found.sizes);
  return text;
}

std::optional<std::string> odd_heights(const FoundClusters& found, const std::string& points) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  if (hierarchy.height.empty() || hierarchy.height.back() > 0) return {};
  return fmt::format("All {} {} lie at one place: no height tells them apart.",
                     hierarchy.tree.points, points);
}

std::string particles_in_words(const std::vector<std::string>& types) {
  std::string text;
  for (std::size_t k = 0; k < types.size(); ++k)
    text += (k == 0 ? "" : k + 1 == types.size() ? " and " : ", ") + types[k];
  // Stars are called so.
  return text.ends_with("stars") ? text : text + " particles";
}

CatalogProvenance cluster_provenance(const ClustersOptions& options, const FoundClusters& found,
                                     const std::vector<std::string>& files,
                                     const std::vector<std::string>& assumed) {
  CatalogProvenance p;
  p.program_version = version();
  p.snapshot = fmt::format("{}", fmt::join(files, " "));
  for (const OptionValue& one : values_of(options))
    if (*one.about.catalog_name) p.parameters[one.about.catalog_name] = one.value;
  p.parameters["minimum samples"] = std::int64_t(options.samples());
  if (options.has_clusters() && is_whole_number(found.least))
    p.parameters["minimum cluster size"] = std::int64_t(found.least);
  else if (options.has_clusters())
    p.parameters["minimum cluster size"] = found.least;
  if (options.chooses_size()) add_choice(*found.sizes, p);
  if (found.mean_weight > 0) p.parameters["mean weight"] = found.mean_weight;
  if (found.cut_height) p.parameters["height of the cut"] = *found.cut_height;
  if (found.hierarchy->step > 0) p.parameters["lattice step"] = found.hierarchy->step;
  if (found.hierarchy->graph_neighbors > 0) {
    p.parameters["neighbors in the graph"] = std::int64_t(found.hierarchy->graph_neighbors);
    p.parameters["trees of the graph"] = std::int64_t(found.hierarchy->graph_trees);
  }
  p.parameters["assumed"] = fmt::format("{}", fmt::join(assumed, " "));
  return p;
}

}  // namespace haloscope::analysis
