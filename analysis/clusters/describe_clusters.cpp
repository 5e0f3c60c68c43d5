#include "analysis/clusters/describe_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/tree_plots.h"
#include "analysis/field_plot.h"
#include "core/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace haloscope::analysis {

namespace {

// Members, mass and radius, which clusters of all searches have.
constexpr std::size_t kUsualColumns = 3;

std::string points_in_words(const ClusterHierarchy& hierarchy) {
  std::vector<std::string> names;
  for (const PointsOfType& points : hierarchy.types) names.push_back(points.name);
  return particles_in_words(names);
}

ParticleField field_of_points(const ClusterHierarchy& hierarchy,
                              const std::vector<double>& by_point) {
  ParticleField field;
  field.limits = {0, 1};
  field.values = rows_of_points(hierarchy, std::vector<float>(by_point.begin(), by_point.end()),
                                std::numeric_limits<float>::quiet_NaN());
  return field;
}

// Those in no cluster, all of probability 0, would dwarf the others.
Plot probability_plot(const Finding& finding) {
  ParticleField members = finding.fields.at("probability");
  std::uint64_t outside = 0;
  for (auto& [type, values] : members.values) {
    const std::vector<std::uint32_t>& label = finding.labels->of.at(type);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (label[row] != Labels::kNone) continue;
      outside += std::isfinite(values[row]);
      values[row] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  Plot plot = field_plot("probability", members);
  plot.why_empty = "no particle is in a cluster";
  plot.y.title = "particles in clusters";
  plot.caption = fmt::format("Without the {} particles that are in no cluster.", outside);
  plot.notes.push_back(plot.caption);
  return plot;
}

// The usual linking length is one of distances.
std::optional<double> marked_spacing(const ClusterHierarchy& hierarchy,
                                     const ClustersOptions& options) {
  return options.has_plain_distances() ? hierarchy.mean_spacing : std::nullopt;
}

std::optional<CutScale> scale_of_cuts(const FoundClusters& found, const ClustersOptions& options) {
  const std::vector<double>& height = found.hierarchy->height;
  const auto first = std::upper_bound(height.begin(), height.end(), 0.0);
  if (first == height.end() || !(*first < height.back())) return {};
  CutScale scale;
  scale.low = *first;
  scale.high = height.back();
  if (found.cut_height > 0) scale.at = found.cut_height;
  scale.unit = found.hierarchy->length_unit;
  if (const auto spacing = marked_spacing(*found.hierarchy, options)) {
    const double usual = kUsualLinking * *spacing;
    if (usual > scale.low && usual < scale.high)
      scale.marks.push_back({usual_linking_in_words(), usual});
  }
  return scale;
}

// What is not known until particles are read is NaN.
void list_again(const Finding& former, const FoundClusters& found, Finding& finding) {
  PieceColumn members{"Members", "", {found.members.begin(), found.members.end()}, true};
  finding.columns = {std::move(members)};
  finding.members_column = 0;
  for (std::size_t k = 1; k < std::min(former.columns.size(), kUsualColumns); ++k) {
    PieceColumn column = former.columns[k];
    column.values.assign(found.members.size(), std::numeric_limits<double>::quiet_NaN());
    finding.columns.push_back(std::move(column));
    if (former.radius_column == k) finding.radius_column = k;
  }
}

// Whether both have clusters of one least size in one tree. Of one tree and the same weights the
// same size is chosen.
bool have_one_size(const ClustersOptions& a, const ClustersOptions& b) {
  if (a.chooses_size() != b.chooses_size() || a.least_members() != b.least_members()) return false;
  return !a.chooses_size() || a.weights == b.weights;
}

// That a cut in their units asks for.
double spacing_in(const ClusterHierarchy& hierarchy) {
  return hierarchy.mean_spacing.value_or(0);
}

}  // namespace

void describe_clusters(const FoundClusters& found, const ClustersOptions& options,
                       Finding& finding) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  finding.pieces = found.count();
  finding.summary = clusters_in_words(found, options, points_in_words(hierarchy));
  if (found.resident) {
    finding.resident.labels = found.resident;
    std::uint64_t first = 0;
    for (const PointsOfType& points : hierarchy.types) {
      finding.resident.of[points.type] = {std::uint32_t(first), std::uint32_t(points.count)};
      first += points.count;
    }
  }
  if (options.has_clusters() && !found.label.empty()) {
    Labels labels;
    labels.pieces = found.count();
    labels.of = rows_of_points(hierarchy, found.label, std::uint32_t(Labels::kNone));
    finding.labels = std::make_shared<const Labels>(std::move(labels));
  }
  for (std::size_t k = 0; k < found.resolutions.size(); ++k) {
    Labels& labels = finding.resolutions.emplace_back();
    labels.pieces = found.sizes->resolutions[k].clusters;
    labels.of = rows_of_points(hierarchy, found.resolutions[k], std::uint32_t(Labels::kNone));
  }
  if (!found.probability.empty()) {
    finding.fields["probability"] = field_of_points(hierarchy, found.probability);
    finding.fields["outlier_score"] = field_of_points(hierarchy, found.outlier_score);
  }
  finding.hierarchy = found.hierarchy;
  finding.condensed = found.condensed;
  finding.sizes = found.sizes;
  finding.cut = scale_of_cuts(found, options);
}

void plot_clusters(const FoundClusters& found, const ClustersOptions& options, const Plot* cuts,
                   Finding& finding) {
  finding.plots.push_back(cuts ? with_cut_marked(*cuts, found)
                               : cut_plot(found, std::uint64_t(found.least),
                                          marked_spacing(*found.hierarchy, options)));
  for (Plot& plot : condensed_tree_plots(found)) finding.plots.push_back(std::move(plot));
  if (finding.fields.empty()) return;
  finding.plots.push_back(field_plot("outlier_score", finding.fields.at("outlier_score")));
  finding.plots.push_back(probability_plot(finding));
}

Finding clusters_again(const Finding& former, const ClustersOptions& options) {
  const FoundClusters found =
      clusters_of_tree(former.hierarchy, options, [&] { return spacing_in(*former.hierarchy); });
  Finding finding;
  finding.measured = false;
  describe_clusters(found, options, finding);
  const bool same_size = have_one_size(former.options.as<ClustersOptions>(), options);
  plot_clusters(found, options, same_size ? find_plot(former, "cuts") : nullptr, finding);
  if (options.has_clusters()) list_again(former, found, finding);
  finding.provenance = former.provenance;
  return finding;
}

bool needs_spacing(const Finding& found, const ClustersOptions& options) {
  return is_in_spacings(options.cut) &&
         (!found.hierarchy->mean_spacing || found.hierarchy->spacing_is_rough);
}

void check_clusters_again(const Finding& found, const ClustersOptions& options) {
  require_points(found.hierarchy->tree.points, options);
  if (!options.cut.empty() && !needs_spacing(found, options))
    edges_of_cut(parse_cut(options.cut), *found.hierarchy,
                 [&] { return spacing_in(*found.hierarchy); });
}

}  // namespace haloscope::analysis
