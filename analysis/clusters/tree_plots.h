#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/find_clusters.h"
#include "analysis/plot.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Plots of a hierarchy. Heights are world lengths, on a logarithmic axis.

// The usual linking length of friends-of-friends, in mean spacings (Davis et al. 1985).
inline constexpr double kUsualLinking = 0.2;
std::string usual_linking_in_words();

// The plots of a search with these options, of a snapshot or of a table. Throws Error for another
// name, which says why there is none. `who`: that asks.
void require_cluster_plot(const std::string& name, const ClustersOptions& options, bool of_table,
                          const std::string& who);

// How many clusters of `least_members` or more each cut has, and how many points the largest one.
// `mean_spacing`, a world length, marks the usual linking length of friends-of-friends.
Plot cut_plot(const FoundClusters& found, std::uint64_t least_members,
              std::optional<double> mean_spacing);

// A plot of cuts with the mark of another cut.
Plot with_cut_marked(Plot plot, const FoundClusters& found);

// The condensed tree down to the clusters that were selected: as splits of clusters over heights
// ("dendrogram"), and as clusters that are as wide as they have points ("condensed_tree"). Of very
// many selected clusters the largest are drawn; the caption says how many. Empty where the search
// condensed no tree.
std::vector<Plot> condensed_tree_plots(const FoundClusters& found);

}  // namespace haloscope::analysis
