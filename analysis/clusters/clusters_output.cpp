#include "analysis/clusters/clusters_output.h"

#include "analysis/clusters/cluster_datasets.h"
#include "analysis/halos/halo_output.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/write_catalog.h"
#include "io/tables/npy_file.h"

#include <fmt/format.h>

namespace haloscope::analysis {

namespace {

void write_label_column(const std::string& path, const Labels& labels, Progress& progress) {
  std::vector<std::uint32_t> all;
  for (const auto& [type, of] : labels.of) all.insert(all.end(), of.begin(), of.end());
  io::write_npy(path, ScalarType::Int32, all.size(), 1, all.data(), progress);
}

// Catalogs have names of their own; this tells of arrays too.
void require_name(const std::string& path) {
  const std::string name = lower_case(path);
  for (const char* end : {".hdf5", ".h5", ".hdf", ".csv", ".npy"})
    if (name.ends_with(end)) return;
  throw Error("clusters are written as .hdf5, .csv or .npy (labels alone)", path,
              "end the name in one of these");
}

}  // namespace

bool is_npy_name(const std::string& path) {
  return lower_case(path).ends_with(".npy");
}

void require_clusters_output(const std::string& path, const ClustersOptions& options,
                             const Overwriting& overwriting) {
  require_name(path);
  if (is_npy_name(path))
    require_target(path, OutputFormat::Npy, overwriting);
  else
    require_catalog_target(path, overwriting);
  if (!options.has_clusters() && (is_npy_name(path) || is_csv(path)))
    throw Error("single linkage without a cut has no clusters, but a tree alone", path,
                "name the output .hdf5, or add --cut");
}

void write_clusters(const std::string& path, const Finding& finding,
                    const std::string& command_line, const ClustersContent& content,
                    Progress& progress) {
  CatalogProvenance provenance = finding.provenance;
  provenance.command_line = command_line;
  if (is_npy_name(path)) {
    if (!finding.labels) throw Error("there are no clusters", path, "add a cut");
    return write_label_column(path, *finding.labels, progress);
  }
  if (is_csv(path))
    return io::write_catalog(path, without_member_lists(finding.catalog), {}, provenance, progress);
  ClusterDatasets datasets;
  datasets.add_tree(*finding.hierarchy);
  if (content.linkage) datasets.add_linkage(*finding.hierarchy);
  datasets.add_condensed(finding.condensed.get(), *finding.hierarchy);
  const auto group = [](int type) { return fmt::format("Labels/PartType{}", type); };
  for (const auto& [type, rows] : content.rows) datasets.add_rows(group(type), rows);
  if (finding.labels)
    for (const auto& [type, of] : finding.labels->of) datasets.add_labels(group(type), of);
  datasets.add_sizes(finding.sizes.get(), !finding.resolutions.empty());
  for (std::size_t k = 0; k < finding.resolutions.size(); ++k)
    for (const auto& [type, of] : finding.resolutions[k].of)
      datasets.add_labels(resolution_group(k, type), of);
  if (const auto field = finding.fields.find("probability"); field != finding.fields.end())
    for (const auto& [type, of] : field->second.values) datasets.add_probability(group(type), of);
  if (const auto field = finding.fields.find("outlier_score"); field != finding.fields.end())
    for (const auto& [type, of] : field->second.values) datasets.add_outlier_score(group(type), of);
  io::write_catalog(path, finding.catalog, finding.members, provenance, progress, datasets.all());
}

void require_linkage_output(const std::string& path, const Overwriting& overwriting) {
  if (!is_npy_name(path))
    throw Error("the linkage matrix is written as .npy alone", path, "name the file .npy");
  require_target(path, OutputFormat::Npy, overwriting);
}

void write_linkage(const std::string& path, const ClusterHierarchy& hierarchy, Progress& progress) {
  const auto rows = linkage_of(hierarchy);
  io::write_npy(path, ScalarType::Float64, rows.size(), 4, rows.data(), progress);
}

}  // namespace haloscope::analysis
