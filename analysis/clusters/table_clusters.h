#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/find_clusters.h"
#include "analysis/plot.h"
#include "compute/exec/device.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/tables/point_table.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Clusters of the rows of a bare table.
struct TableClusters {
  FoundClusters clusters;
  HaloCatalog catalog;  // its first table's row n is cluster n
  CatalogProvenance provenance;
  std::string summary;
  std::vector<std::string> said;  // sentences: what was done to the rows
  std::vector<Plot> plots;
};

// `box`: side of a periodic box; none: the table is not periodic. Throws OptionError for options
// that do not fit the table, Error, and Cancelled. `ranks` as in find_clusters().
TableClusters find_table_clusters(const io::PointTable& table, const ClustersOptions& options,
                                  const std::optional<double>& box, compute::Device device,
                                  Progress& progress, compute::Ranks* ranks = nullptr);

// Writes what was found by the extension of `path`: .hdf5 holds all (Tree, Dendrogram, Condensed,
// Labels, Group), .csv a line per row, .npy the labels alone. Appears whole or not at all.
void write_table_clusters(const std::string& path, const TableClusters& found,
                          const std::string& command_line, Progress& progress);

}  // namespace haloscope::analysis
