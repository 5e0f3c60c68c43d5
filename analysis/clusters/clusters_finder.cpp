#include "analysis/clusters/clusters_finder.h"

#include "analysis/clusters/cluster_search.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/clusters_output.h"
#include "analysis/clusters/condensed_table.h"
#include "analysis/clusters/describe_clusters.h"
#include "analysis/clusters/selection_columns.h"
#include "analysis/halos/halo_table.h"
#include "analysis/option_parsing/option_error.h"

#include <cmath>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

std::string particles_of(const ClusterSearch& search, const SnapshotInfo& info) {
  std::vector<std::string> names;
  for (const int type : search.particles.linked) names.push_back(info.types.at(type).name);
  return particles_in_words(names);
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
  if (!found.condensed) return;
  PieceColumn persistence{"Persistence", "", found.persistence};
  persistence.help = "0 to 1: how long the cluster lasts as the height falls.";
  finding.columns.push_back(std::move(persistence));
  if (found.weight.empty()) return;
  PieceColumn weight{"Weight", "", found.weight};
  weight.help = "Sum of the members' weights, in units of the mean weight of all particles.";
  finding.columns.push_back(std::move(weight));
}

// Places are centers of mass, and radii the root of the mean squared distance.
std::shared_ptr<const FoundBranches> branches_of(const FoundClusters& found,
                                                 const HaloTable& table) {
  const compute::clusters::CondensedTree& tree = *found.condensed;
  const CatalogColumn* const center = table.find("SubhaloCM");
  const CatalogColumn* const radius = table.find("SubhaloRmsRad");
  auto branches = std::make_shared<FoundBranches>();
  branches->parent = tree.parent;
  for (std::uint64_t c = 0; c < table.count; ++c)
    branches->places.push_back(
        {{center->value(c, 0), center->value(c, 1), center->value(c, 2)}, radius->value(c)});
  branches->piece.assign(tree.clusters(), std::uint32_t(Labels::kNone));
  for (std::size_t c = 0; c < found.node.size(); ++c)
    if (found.node[c] < tree.clusters()) branches->piece[found.node[c]] = std::uint32_t(c);
  branches->innermost.pieces = tree.clusters();
  branches->innermost.of =
      rows_of_points(*found.hierarchy, tree.point_cluster, std::uint32_t(Labels::kNone));
  return branches;
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
  if (search.clusters.condensed) {
    HaloTable all = condensed_table(search, info, table);
    finding.branches = branches_of(search.clusters, all);
    catalog.catalog.tables.push_back(std::move(all));
  }
  for (const auto* sentences : {&search.particles.particles.assumed, &search.particles.said})
    for (const std::string& sentence : *sentences) assumed.push_back(with_flags(sentence));
  if (search.particles.odd_density) assumed.push_back(*search.particles.odd_density);
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
  explicit ClustersFinder(compute::Ranks* ranks)
      : FinderOf({"clusters", "cluster", "clusters",
                  "Clusters of all densities by HDBSCAN*, or those of one height of a tree",
                  "No cluster was found: allow fewer members, or give a cut."}),
        ranks_(ranks) {}

  void check(const AnyOptions& options, const SnapshotInfo* info) const override {
    check_options(options.as<ClustersOptions>());
    if (info) check_snapshot(*info, options.as<ClustersOptions>());
  }
  Finding search(const io::SnapshotReader& reader, const ClustersOptions& options,
                 const FindRequest& request, Progress& progress) const override {
    ClusterSearch search = search_clusters(
        reader,
        {options, request.device, !request.only_labels, request.resident,
         request.known && shares_work(*request.known, options) ? request.known->hierarchy : nullptr,
         ranks_},
        progress);
    Finding finding;
    describe_clusters(search.clusters, options, finding);
    // The window has said what reading took for granted when it drew what is read.
    if (!request.resident)
      for (const std::string& sentence : search.particles.particles.assumed)
        finding.notes.push_back(sentence);
    if (auto odd = odd_heights(search.clusters, particles_of(search, reader.info())))
      search.particles.said.push_back(std::move(*odd));
    for (const std::string& sentence : search.particles.said) finding.notes.push_back(sentence);
    if (request.only_labels) return finding;
    plot_clusters(search.clusters, options, nullptr, finding);
    measure(reader, options, search, request.rows_of_files, finding, progress);
    return finding;
  }

  bool shares_work(const Finding& found, const AnyOptions& options) const override {
    return found.hierarchy &&
           have_one_tree(found.options.as<ClustersOptions>(), options.as<ClustersOptions>());
  }
  bool needs_reading(const Finding& found, const AnyOptions& options) const override {
    return needs_spacing(found, options.as<ClustersOptions>());
  }
  Finding take_again(const Finding& found, const AnyOptions& options) const override {
    return clusters_again(found, options.as<ClustersOptions>());
  }
  void check_again(const Finding& found, const AnyOptions& options) const override {
    check_clusters_again(found, options.as<ClustersOptions>());
  }
  AnyOptions cut_elsewhere(const AnyOptions& options, const std::string& where,
                           std::optional<std::uint64_t> members) const override {
    return analysis::cut_elsewhere(options.as<ClustersOptions>(), where, members);
  }
  void require_output(const std::string& path, const AnyOptions& options,
                      const Overwriting& overwriting) const override {
    require_clusters_output(path, options.as<ClustersOptions>(), overwriting);
  }
  void write(const std::string& path, const Finding& finding, const std::string& command_line,
             Progress& progress) const override {
    write_clusters(path, finding, command_line, {}, progress);
  }

 private:
  compute::Ranks* ranks_;
};

}  // namespace

std::shared_ptr<const Finder> make_clusters_finder(compute::Ranks* ranks) {
  return std::make_shared<ClustersFinder>(ranks);
}

}  // namespace haloscope::analysis
