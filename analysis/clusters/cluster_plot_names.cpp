#include "analysis/clusters/tree_plots.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace haloscope::analysis {

namespace {

struct ClusterPlot {
  const char *name, *words;
  bool of_selection;  // of HDBSCAN*'s own clusters alone
  bool of_particles;  // a table's rows have none
};

constexpr ClusterPlot kPlots[] = {{"outlier_score", "outlier scores", true, true},
                                  {"probability", "probabilities", true, true},
                                  {"cuts", "cuts", false, false},
                                  {"dendrogram", "condensed tree", true, false},
                                  {"condensed_tree", "condensed tree", true, false}};

}  // namespace

void require_cluster_plot(const std::string& name, const ClustersOptions& options, bool of_table,
                          const std::string& who) {
  std::vector<const char*> there;
  for (const ClusterPlot& plot : kPlots)
    if ((options.selects() || !plot.of_selection) && !(of_table && plot.of_particles))
      there.push_back(plot.name);
  if (std::find(there.begin(), there.end(), name) != there.end()) return;
  const std::string use = fmt::format("use {}", fmt::join(there, ", "));
  const auto* const known =
      std::find_if(std::begin(kPlots), std::end(kPlots),
                   [&](const ClusterPlot& plot) { return plot.name == name; });
  if (known == std::end(kPlots)) throw Error(fmt::format("there is no plot '{}'", name), who, use);
  if (of_table && known->of_particles)
    throw Error(fmt::format("there is no plot '{}' of a table", name), who,
                use + "; a .csv output has the numbers");
  throw Error(fmt::format("there is no plot '{}': {} has no {}", name,
                          options.cut.empty() ? "single linkage" : "a cut", known->words),
              who, use);
}

}  // namespace haloscope::analysis
