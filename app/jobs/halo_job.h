#pragma once

#include "app/session/state.h"
#include "app/snapshot_options.h"
#include "core/halo_catalog.h"
#include "core/progress.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::app::jobs {

// One halo of the window's table; code units.
struct HaloRow {
  std::uint64_t number = 0;  // from 0, the largest
  std::uint64_t members = 0;
  session::Vec center{0, 0, 0};
  double mass = 0;
  double radius = 0;  // R200 critical; where it was not measured, of a sphere of the members
};

struct FoundHalos {
  std::vector<HaloRow> rows;  // by number
  std::string mass_unit, length_unit;
  double linking_length = 0;  // code units
  std::vector<std::string> said;
  HaloCatalog catalog;  // for export
  HaloMembers members;
};

// Searches as `haloscope halos` does. Throws Error and Cancelled.
FoundHalos find_halos(const std::string& snapshot, const SnapshotOptions& said,
                      const session::HaloState& choice, const std::string& device,
                      Progress& progress);

}  // namespace haloscope::app::jobs
