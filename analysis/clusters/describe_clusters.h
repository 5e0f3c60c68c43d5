#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/find_clusters.h"
#include "analysis/finding.h"

// What a finding tells of the clusters of a snapshot that the tree of the points knows alone.
namespace haloscope::analysis {

// Pieces, labels, fields, summary, and the heights of other cuts.
void describe_clusters(const FoundClusters& found, const ClustersOptions& options,
                       Finding& finding);

// Plots of a finding that is described. `cuts`: the plot "cuts" of the same tree and least size,
// which is not made again; null: it is.
void plot_clusters(const FoundClusters& found, const ClustersOptions& options, const Plot* cuts,
                   Finding& finding);

// Clusters of a tree that was found with other options (have_one_tree()): described, with plots and
// numbers of members, and not measured.
Finding clusters_again(const Finding& found, const ClustersOptions& options);

// Whether a cut is in mean spacings that the tree does not know.
bool needs_spacing(const Finding& found, const ClustersOptions& options);

// Throws OptionError where clusters_again() would, as far as the tree tells.
void check_clusters_again(const Finding& found, const ClustersOptions& options);

}  // namespace haloscope::analysis
