#pragma once

#include "analysis/clusters/find_clusters.h"
#include "analysis/clusters/table_lattice.h"
#include "core/halo_catalog.h"
#include "io/tables/point_table.h"

namespace haloscope::analysis {

// The clusters of a table's rows as a catalog: members, mean position (in a periodic box that of
// the images nearest to the first member), radius, and what their selection says.
HaloCatalog catalog_of_rows(const io::PointTable& table, const TableLattice& lattice,
                            const FoundClusters& clusters);

}  // namespace haloscope::analysis
