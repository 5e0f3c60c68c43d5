#pragma once

#include "analysis/finding.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "core/snapshot_info.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// A halo catalog in a snapshot's lengths.
struct PlacedCatalog {
  HaloCatalog catalog;  // the chosen table is the first
  std::optional<HaloMembers> members;
  std::vector<PiecePlace> places;    // by row of that table, code units, inside a periodic box
  std::vector<double> given_radius;  // the same; NaN: the catalog has none
  std::vector<std::string> notes;
  bool incomplete = false;  // files of the catalog are missing

  const HaloTable& table() const { return catalog.tables.front(); }
};

// Reads a catalog and brings its places to the code lengths of a snapshot. `table`: its name in any
// case; empty: the first that has halos. Halos without a radius get that of a sphere of their mass
// at 200 times today's critical density. Throws Error for a catalog that cannot be read, without
// positions, of another box, redshift or cosmology, whose lengths cannot be told, or of which files
// are missing unless it may be `incomplete`; and Cancelled.
PlacedCatalog place_catalog(const std::string& path, const std::string& table,
                            const SnapshotInfo& info, Progress& progress, bool incomplete = false);

}  // namespace haloscope::analysis
