#include "analysis/clusters/clusters_options.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/clusters/cluster_space.h"
#include "analysis/option_parsing/option_checks.h"
#include "compute/clusters/spanning_tree.h"

#include <fmt/format.h>

namespace haloscope::analysis {

namespace {

// An option that says nothing where clusters are not selected; null: there is none.
const char* option_of_selection(const ClustersOptions& options) {
  if (options.max_cluster_size > 0) return "max_cluster_size";
  if (options.epsilon) return "cluster_epsilon";
  if (options.allow_single_cluster) return "allow_single_cluster";
  if (options.selection != compute::clusters::Selection::ExcessOfMass) return "select";
  if (options.resolutions) return "resolutions";
  return nullptr;
}

}  // namespace

bool have_one_tree(const ClustersOptions& a, const ClustersOptions& b) {
  const bool weighs = b.weights.empty() || a.weights == b.weights;
  return weighs && a.types == b.types && a.space == b.space && a.scale == b.scale &&
         a.linkage == b.linkage && a.samples() == b.samples() && a.method == b.method &&
         a.neighbors == b.neighbors;
}

ClustersOptions cut_elsewhere(const ClustersOptions& options, const std::string& where,
                              std::optional<std::uint64_t> members) {
  ClustersOptions next = options;
  const ClustersOptions usual;
  const bool off = where == "off";
  if (!off) parse_cut(where);
  next.cut = off ? std::string() : where;
  next.max_cluster_size = usual.max_cluster_size;
  next.epsilon = usual.epsilon;
  next.allow_single_cluster = usual.allow_single_cluster;
  next.selection = usual.selection;
  if (!next.selects()) next.weights.clear();
  if (off && !members && options.chooses_size()) return next;
  next.resolutions.reset();
  const std::uint64_t least = members.value_or(options.least_members());
  next.min_cluster_size.reset();
  // What goes without saying is not said: so options are the same that find the same.
  if (next.has_clusters() && least > 1 && least != next.least_members())
    next.min_cluster_size = least;
  return next;
}

void check_options(const ClustersOptions& options) {
  const OptionChecks checks;
  ClustersOptions copy = options;
  visit(checks, copy);
  if (options.neighbors && options.method != TreeMethod::Cuslink)
    throw OptionError("only cuslink makes a graph of neighbors", marked("k"),
                      "leave it out, or take `method` cuslink");
  constexpr int kMost = compute::clusters::SpanningTreeSettings::kMostSamples;
  if (options.samples() > kMost)
    throw OptionError(fmt::format("{} must be {} or less", marked("min_samples"), kMost));
  if (options.linkage == Linkage::Single && options.min_samples)
    throw OptionError("single linkage knows no core points", marked("min_samples"),
                      "leave it out, or take `linkage` hdbscan");
  if (!options.has_clusters() && options.min_cluster_size)
    throw OptionError("single linkage has no clusters without a cut", marked("min_cluster_size"),
                      "add `cut`");
  if (const char* option = option_of_selection(options); option && !options.selects())
    throw OptionError(options.cut.empty()
                          ? "single linkage has no clusters of its own that this could choose from"
                          : "a cut takes all clusters of its height, and this chooses from others",
                      marked(option), "leave it out");
  if (options.chooses_size() && !options.selects())
    throw OptionError("only the condensed tree of HDBSCAN* has sizes to choose from",
                      marked("min_cluster_size"), "give a number, or leave out `cut`");
  if (!options.weights.empty() && !options.selects())
    throw OptionError(
        "weights count in the condensed tree of HDBSCAN* alone", marked("weights"),
        options.cut.empty() ? "leave it out, or take `linkage` hdbscan" : "leave it out, or `cut`");
  if (options.resolutions && !options.chooses_size())
    throw OptionError("there is one size, and no others are tried", marked("resolutions"),
                      "leave it out, or take `min_cluster_size` auto");
  if (options.resolutions.value_or(0) > ClustersOptions::kMostResolutions)
    throw OptionError(fmt::format("{} must be {} or less", marked("resolutions"),
                                  ClustersOptions::kMostResolutions));
  if (options.max_cluster_size > 0 && options.chooses_size())
    throw OptionError(
        "where the size is chosen, clusters are those that do not split, and have no "
        "largest size",
        marked("max_cluster_size"), "leave it out, or give `min_cluster_size`");
  if (options.max_cluster_size > 0 && options.selection == compute::clusters::Selection::Leaf)
    throw OptionError("only clusters that are selected by excess of mass have a largest size",
                      marked("max_cluster_size"), "leave it out, or take `select` eom");
  const auto most = options.max_cluster_size;
  if (most > 0 && most < options.least_members())
    throw OptionError(fmt::format("a cluster of {} points at most has not {} at least", most,
                                  options.least_members()),
                      marked("max_cluster_size"), "give more, or a smaller `min_cluster_size`");
  parse_scale(options.scale);
  const ClusterSpace space = parse_space(options.space, {});
  if (options.cut.empty()) return;
  if (parse_cut(options.cut).kind == ClusterCut::Kind::Spacings &&
      space.kind != ClusterSpace::Kind::Positions)
    throw OptionError("mean spacings are those of positions", marked("cut"),
                      "give a distance in the space (distance:D)");
}

void require_whole(const ClustersOptions& options) {
  if (options.cut.empty() || parse_cut(options.cut).kind != ClusterCut::Kind::Spacings) return;
  throw OptionError("selected particles have no mean spacing, for they do not fill the box",
                    marked("cut"), "give a length (distance:LENGTH)");
}

}  // namespace haloscope::analysis
