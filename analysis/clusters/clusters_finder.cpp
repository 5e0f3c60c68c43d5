#include "analysis/clusters/clusters_finder.h"

#include "analysis/clusters/cluster_search.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/clusters_output.h"
#include "analysis/clusters/condensed_table.h"
#include "analysis/clusters/selection_columns.h"
#include "analysis/clusters/tree_plots.h"
#include "analysis/field_plot.h"
#include "analysis/halos/halo_table.h"
#include "analysis/halos/mean_spacing.h"
#include "analysis/options/option_error.h"
#include "core/error.h"
#include "io/loading/selected_snapshot.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

std::string particles_of(const ClusterSearch& search, const SnapshotInfo& info) {
  std::vector<std::string> names;
  for (const int type : search.particles.linked) names.push_back(info.types.at(type).name);
  return particles_in_words(names);
}

ParticleField field_of(const ClusterSearch& search, const std::vector<double>& by_point) {
  ParticleField field;
  field.limits = {0, 1};
  field.values = search.by_row(std::vector<float>(by_point.begin(), by_point.end()),
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

void add_fields(const ClusterSearch& search, Finding& finding) {
  const FoundClusters& found = search.clusters;
  if (found.probability.empty()) return;
  finding.fields["probability"] = field_of(search, found.probability);
  finding.fields["outlier_score"] = field_of(search, found.outlier_score);
  finding.plots.push_back(field_plot("outlier_score", finding.fields.at("outlier_score")));
  finding.plots.push_back(probability_plot(finding));
}

// Of what was clustered, where it fills a volume that is known.
std::optional<double> spacing_of(const ClusterSearch& search, const io::SnapshotReader& reader) {
  if (io::as_selected(reader)) return {};
  try {
    return mean_spacing(reader.info(), search.particles.particles, search.particles.linked).length;
  } catch (const Error&) {
    return {};
  }
}

// The usual linking length is one of distances of positions.
bool is_of_distances(const ClustersOptions& options, const ClusterSearch& search) {
  return search.space.empty() && options.has_plain_distances();
}

void add_plots(const ClusterSearch& search, const ClustersOptions& options,
               const io::SnapshotReader& reader, Finding& finding) {
  const FoundClusters& found = search.clusters;
  finding.plots.push_back(
      cut_plot(found, std::uint64_t(found.least),
               is_of_distances(options, search) ? spacing_of(search, reader) : std::nullopt));
  for (Plot& plot : condensed_tree_plots(found)) finding.plots.push_back(std::move(plot));
}

std::vector<double> values_of_column(const CatalogColumn* column, std::uint64_t count) {
  std::vector<double> values(std::size_t(count), 0);
  for (std::uint64_t c = 0; column && c < count; ++c) values[std::size_t(c)] = column->value(c);
  return values;
}

// Members, mass, half-mass radius and persistence of each cluster, and where it is.
void list_clusters(const FoundClusters& found, const HaloTable& table, double loose_radius,
                   Finding& finding) {
  const CatalogColumn* const mass = table.find(HaloRole::Mass);
  const CatalogColumn* const place = table.find(HaloRole::Position);
  PieceColumn members{"Members", "", {found.members.begin(), found.members.end()}, true};
  PieceColumn masses{"Mass", mass ? mass->unit : "", values_of_column(mass, table.count)};
  PieceColumn radius{"Half-mass radius", place ? place->unit : "",
                     values_of_column(table.find("GroupHalfmassRad"), table.count)};
  radius.help = "About the member of lowest potential, which holds half of the members' mass.";
  for (std::uint64_t c = 0; c < table.count; ++c) {
    const double half = radius.values[std::size_t(c)];
    finding.places.push_back({table.vector(HaloRole::Position, c), half > 0 ? half : loose_radius});
  }
  finding.columns = {std::move(members), std::move(masses), std::move(radius)};
  finding.members_column = 0;
  finding.radius_column = 2;
  if (!found.hierarchy->condensed) return;
  PieceColumn persistence{"Persistence", "", found.persistence};
  persistence.help = "0 to 1: how long the cluster lasts as the height falls.";
  finding.columns.push_back(std::move(persistence));
  if (found.weight.empty()) return;
  PieceColumn weight{"Weight", "", found.weight};
  weight.help = "Sum of the members' weights, in units of the mean weight of all particles.";
  finding.columns.push_back(std::move(weight));
}

void measure(const io::SnapshotReader& reader, const ClustersOptions& options,
             ClusterSearch& search, bool rows_of_files, Finding& finding, Progress& progress) {
  const SnapshotInfo& info = reader.info();
  std::vector<std::string> assumed = sentences_of(info.assumed);
  FoundCatalog catalog = make_catalog(reader, search.particles, progress,
                                      {true, rows_of_files, "cluster", "clusters"});
  HaloTable& table = catalog.catalog.tables.front();
  add_selection_columns(search.clusters, table);
  const Domain& domain = search.particles.particles.domain;
  // Of a single point: half the mean distance of points that fill the domain.
  const double loose = domain.side / std::cbrt(double(search.clusters.hierarchy->tree.points)) / 2;
  if (options.has_clusters()) list_clusters(search.clusters, table, loose, finding);
  if (search.clusters.hierarchy->condensed)
    catalog.catalog.tables.push_back(condensed_table(search, info, table));
  for (const auto* sentences : {&search.particles.particles.assumed, &search.particles.said})
    for (const std::string& sentence : *sentences) assumed.push_back(with_flags(sentence));
  for (const std::string& sentence : catalog.said) {
    finding.notes.push_back(sentence);
    assumed.push_back(with_flags(sentence));
  }
  finding.provenance = cluster_provenance(options, search.clusters, info.files, assumed);
  finding.provenance.parameters["types"] = particles_of(search, info);
  finding.provenance.parameters["softening"] = search.particles.softening;
  for (const auto& [name, value] : search.space) finding.provenance.parameters[name] = value;
  finding.catalog = std::move(catalog.catalog);
  finding.members = std::move(catalog.members);
}

class ClustersFinder final : public FinderOf<ClustersOptions> {
 public:
  ClustersFinder()
      : FinderOf({"clusters", "cluster", "clusters",
                  "Clusters of all densities by HDBSCAN*, or those of one height of a tree",
                  "No cluster was found: allow fewer members, or give a cut."}) {}

  void check(const AnyOptions& options, const SnapshotInfo* info) const override {
    check_options(options.as<ClustersOptions>());
    if (info) check_snapshot(*info, options.as<ClustersOptions>());
  }
  Finding search(const io::SnapshotReader& reader, const ClustersOptions& options,
                 const FindRequest& request, Progress& progress) const override {
    ClusterSearch search = search_clusters(
        reader, {options, request.device, !request.only_labels, request.resident}, progress);
    Finding finding;
    finding.pieces = search.clusters.count();
    finding.summary =
        clusters_in_words(search.clusters, options, particles_of(search, reader.info()));
    // The window has said what reading took for granted when it drew what is read.
    if (!request.resident)
      for (const std::string& sentence : search.particles.particles.assumed)
        finding.notes.push_back(sentence);
    if (auto odd = odd_heights(search.clusters, particles_of(search, reader.info())))
      search.particles.said.push_back(std::move(*odd));
    for (const std::string& sentence : search.particles.said) finding.notes.push_back(sentence);
    if (options.has_clusters()) finding.labels = std::make_shared<const Labels>(search.labels());
    finding.resolutions = search.resolutions();
    if (!request.only_labels) add_plots(search, options, reader, finding);
    add_fields(search, finding);
    finding.hierarchy = search.clusters.hierarchy;
    if (!request.only_labels)
      measure(reader, options, search, request.rows_of_files, finding, progress);
    return finding;
  }
  void require_output(const std::string& path, const AnyOptions& options,
                      const Overwriting& overwriting) const override {
    require_clusters_output(path, options.as<ClustersOptions>(), overwriting);
  }
  void write(const std::string& path, const Finding& finding, const std::string& command_line,
             Progress& progress) const override {
    write_clusters(path, finding, command_line, {}, progress);
  }
};

}  // namespace

std::shared_ptr<const Finder> make_clusters_finder() {
  return std::make_shared<ClustersFinder>();
}

}  // namespace haloscope::analysis
