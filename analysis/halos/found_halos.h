#pragma once

#include "analysis/halos/halo_colors.h"
#include "analysis/halos/halo_options.h"
#include "analysis/halos/mass_function.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "core/vector.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// One halo of the window's table; code units.
struct HaloRow {
  std::uint64_t number = 0;  // from 0, the largest
  std::uint64_t members = 0;
  Vec center{0, 0, 0};
  double mass = 0;
  std::optional<double> r200;  // critical; nothing: too loose, or there is no cosmology
  double radius = 0;           // to be shown with: R200, or of a sphere of the members
};

struct FoundHalos {
  std::vector<HaloRow> rows;  // by number
  std::string mass_unit, length_unit;
  double linking_length = 0;  // code units
  HaloOptions options;
  std::vector<std::string> files;  // of the snapshot
  std::vector<std::string> said;
  std::shared_ptr<const HaloColors> colors;  // of the particles; null: no halo
  MassFunction mass_function;
  HaloCatalog catalog;  // for export
  HaloMembers members;
  CatalogProvenance provenance;  // whoever writes the catalog adds the command line

  std::uint64_t bytes() const;  // of memory, about
};

// Searches as `haloscope halos` does. Throws Error, with options as the window writes them, and
// Cancelled.
FoundHalos find_halos(const std::string& snapshot, const SnapshotOptions& said,
                      const HaloOptions& options, compute::Device device, Progress& progress);

}  // namespace haloscope::analysis
